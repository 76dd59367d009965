#include "engine/analysis/sm_code.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "engine/analysis/chain_code.h"
#include "engine/analysis/sm_accesses.h"
#include "engine/analysis/sm_kinds.h"
#include "engine/analysis/typical_blocks.h"
#include "engine/analysis/warp_walk.h"
#include "engine/ptx/facts/liveness.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/trace/source_place.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

class Builder {
 public:
  Builder(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
          const CacheReport& caches, const Device& device, const trace::BlockWork* work,
          const SmCodeLimits& limits)
      : module_(module),
        entry_(entry),
        trace_(trace),
        device_(device),
        work_(work),
        limits_(limits),
        accesses_(trace, caches, device, out_) {}

  SmCode build() {
    std::size_t steps = 0;
    for (const trace::BlockSteps& block : trace_.blocks()) {
      if (block.last <= block.first) continue;
      if (out_.blocks.size() >= limits_.blocks || (steps > 0 && steps >= limits_.steps)) break;
      const WarpWalk walk = walk_block(module_, entry_, trace_, block, most_of_a_warp());
      out_.cut = out_.cut || walk.cut;
      std::size_t walked = 0, executed = 0;
      for (const auto& warp : walk.warps) {
        walked += warp.size();
        executed += executed_in(warp);
      }
      steps += walked;
      walked_.push_back(static_cast<double>(executed));
      stored_.push_back(block.block);
      accesses_.begin(block);
      add(walk);
    }
    accesses_.answer_as_others();
    const auto kept = trace_.blocks();
    out_.first_alone = out_.blocks.size() > 1 && kept.front().block == 0 && trace_.blocks_total > kept.size();
    const std::size_t apart = out_.first_alone ? 1 : 0;
    if (work_ != nullptr && stored_.size() > apart && kept.size() < work_->blocks())
      if (auto order = order_of_sm(*work_, std::span(stored_).subspan(apart), device_.sms)) {
        out_.order = std::move(order->of_sm);
        out_.shares = std::move(order->shares);
      }
    for (std::size_t b = apart; b < walked_.size(); ++b) out_.walked_a_block += walked_[b] * out_.share_of(b);
    out_.walked = walked_;
    out_.typical = typical();
    out_.fetched_bytes =
        entry_.machine.empty()
            ? out_.machine_bytes
            : kInstructionBytes * static_cast<double>(entry_.machine.size() + entry_.machine_others);
    return std::move(out_);
  }

 private:
  // Of blocks that differ the one that most instructions are like.
  std::uint32_t typical() const {
    const std::size_t apart = out_.first_alone ? 1 : 0;
    if (walked_.size() != out_.blocks.size() || walked_.size() < apart + 2) return 0;
    const auto from = walked_.begin() + static_cast<std::ptrdiff_t>(apart);
    const auto [least, most] = std::minmax_element(from, walked_.end());
    if (*most <= kBlocksAlike * *least) return 0;
    double sum = 0, squares = 0;
    const auto add = [&](double executed) { sum += executed, squares += executed * executed; };
    if (work_ != nullptr && work_->each() == 1)
      for (const std::uint64_t executed : work_->instructions()) add(static_cast<double>(executed));
    else
      std::for_each(from, walked_.end(), add);
    const double wanted = squares / sum;
    const auto best = std::min_element(from, walked_.end(), [&](double a, double b) {
      return std::fabs(a - wanted) < std::fabs(b - wanted);
    });
    return static_cast<std::uint32_t>(best - from);
  }

  // Blocks of few warps are followed further.
  std::size_t most_of_a_warp() const {
    constexpr std::size_t kAlways = 50000;
    const std::size_t warps =
        std::max<std::size_t>(1, (trace_.launch.block.volume() + kWarpSize - 1) / kWarpSize);
    return std::min(limits_.steps_a_warp, std::max(kAlways, limits_.steps / warps));
  }

  // Without the place where the last lanes left; a fragment that is loaded in several accesses counts once.
  static std::size_t executed_in(const std::vector<WalkedStep>& warp) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < warp.size(); ++i) {
      const bool goes_on =
          i > 0 && warp[i].instruction == warp[i - 1].instruction && warp[i].function == warp[i - 1].function;
      if (warp[i].active != 0 && !goes_on) ++out;
    }
    return out;
  }

  // The code of a function, when its first instruction runs.
  std::uint32_t first_of(std::uint32_t function) {
    const auto [at, fresh] =
        first_.try_emplace(function, static_cast<std::uint32_t>(out_.instructions.size()));
    if (!fresh) return at->second;
    const ptx::Function& f = module_.functions[function];
    const std::uint32_t base = out_.register_count;
    const trace::SourcePlaces places(f);
    for (const ptx::Instruction& instruction : f.instructions) {
      const SmKind kind = kind_of(module_.form(instruction), device_);
      SmInstruction& made = out_.instructions.emplace_back();
      made.unit = kind.unit;
      made.latency = static_cast<std::uint16_t>(kind.latency);
      made.busy = kind.busy;
      made.hold = kind.hold;
      made.constant = kind.unit == SmUnit::Constant;
      made.steers = kind.unit == SmUnit::Branch;
      if (const ptx::SourceLine* at = places.of(instruction)) made.line = at->line;
      if (kind.unit == SmUnit::None && reads_special(instruction)) {
        made.unit = SmUnit::Shared;
        made.latency = kSpecialRegister;
        made.busy = kSpecialRegisterBusy;
      }
      if (kind.unit == SmUnit::Sleep) made.latency = sleep_cycles(f, instruction);
      if (module_.form(instruction).opcode == ptx::Opcode::Shfl) made.tiles = tiles_of(f, instruction);
      if (is_upper_half(module_.form(instruction))) made.pause = kUpperHalfPause;
      if (module_.form(instruction).effects().memory == ptx::MemoryUse::Copy)
        copy_waits(module_.form(instruction), instruction, made);
      const ptx::Uses uses = ptx::uses_of(module_, f, instruction);
      made.reads = keep(uses.reads, base, made.read_count);
      made.writes = keep(uses.writes, base, made.write_count);
    }
    out_.register_count += static_cast<std::uint32_t>(f.registers.size());
    classify_sites(function, at->second);
    const std::uint32_t plain = at->second;
    CodedChains& chains = chains_[function] = code_chains(module_, f, plain, base, out_);
    const std::size_t text = chains.of_block.empty() ? f.instructions.size() : f.machine.size();
    if (chains.of_block.empty())
      for (std::uint32_t i = 0; i < text; ++i)
        out_.instructions[plain + i].place =
            static_cast<std::uint32_t>(out_.machine_bytes / kInstructionBytes) + i;
    out_.machine_bytes += kInstructionBytes * static_cast<double>(text);
    return plain;
  }

  // %tid and its like are asked for and answer after a while.
  static bool reads_special(const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [](const ptx::Operand& o) {
      return o.kind == ptx::OperandKind::Special && o.special != ptx::SpecialRegister::NtidX &&
             o.special != ptx::SpecialRegister::NtidY && o.special != ptx::SpecialRegister::NtidZ &&
             o.special != ptx::SpecialRegister::NctaidX && o.special != ptx::SpecialRegister::NctaidY;
    });
  }

  // It may be anything up to twice as long; a time that is computed is taken for none.
  std::uint16_t sleep_cycles(const ptx::Function& function, const ptx::Instruction& instruction) const {
    double ns = 0;
    for (const ptx::Operand& o : instruction.operands) {
      if (o.kind == ptx::OperandKind::Integer) ns = static_cast<double>(o.value);
      if (o.kind == ptx::OperandKind::Register) ns = constant_in(function, o.reg);
    }
    return static_cast<std::uint16_t>(std::clamp(ns * device_.boost_mhz / 1e3, 1.0, 65535.0));
  }

  // The operand behind the lane says in its second byte which bits of a lane's number name its tile (PTX ISA,
  // shfl).
  std::uint8_t tiles_of(const ptx::Function& function, const ptx::Instruction& shuffle) const {
    constexpr std::size_t kBehindLane = 2;  // operands behind it: itself and the mask of members
    if (shuffle.operands.size() < kBehindLane) return 1;
    const ptx::Operand& o = shuffle.operands[shuffle.operands.size() - kBehindLane];
    const double known = o.kind == ptx::OperandKind::Integer    ? static_cast<double>(o.value)
                         : o.kind == ptx::OperandKind::Register ? constant_in(function, o.reg)
                                                                : 0;
    if (!(known >= 0 && known < 65536)) return 1;
    const auto bits = static_cast<std::uint32_t>(known) >> 8 & 31;
    return static_cast<std::uint8_t>(kWarpSize / std::max<std::uint32_t>(1, kWarpSize - bits));
  }

  // What the one instruction that writes the register moves into it; 0 where that is not a number.
  double constant_in(const ptx::Function& function, ptx::RegisterId reg) const {
    const ptx::Operand* value = nullptr;
    int writers = 0;
    for (const ptx::Instruction& instruction : function.instructions) {
      const std::vector<ptx::RegisterId> written = ptx::uses_of(module_, function, instruction).writes;
      if (std::ranges::find(written, reg) == written.end()) continue;
      ++writers;
      if (module_.form(instruction).opcode == ptx::Opcode::Mov && instruction.operands.size() == 2)
        value = &instruction.operands[1];
    }
    if (writers != 1 || value == nullptr || value->kind != ptx::OperandKind::Integer) return 0;
    return static_cast<double>(value->value);
  }

  static void copy_waits(const ptx::Form& form, const ptx::Instruction& instruction, SmInstruction& made) {
    if (form.has(ptx::Modifier::CommitGroup)) made.commits = true;
    if (!form.has(ptx::Modifier::WaitAll) && !form.has(ptx::Modifier::WaitGroup)) return;
    made.waits_for_copies = true;
    for (const ptx::Operand& o : instruction.operands)
      if (o.kind == ptx::OperandKind::Integer) made.groups_left = static_cast<std::uint16_t>(o.value);
  }

  std::uint32_t keep(const std::vector<ptx::RegisterId>& registers, std::uint32_t base,
                     std::uint32_t& count) {
    const auto at = static_cast<std::uint32_t>(out_.registers.size());
    for (const ptx::RegisterId r : registers) out_.registers.push_back(base + r);
    count = static_cast<std::uint32_t>(registers.size());
    return at;
  }

  void classify_sites(std::uint32_t function, std::uint32_t first) {
    for (const trace::Site& site : trace_.sites) {
      if (site.function != function || first + site.instruction >= out_.instructions.size()) continue;
      SmInstruction& made = out_.instructions[first + site.instruction];
      made.site = site.index;
      if (site.kind == SiteKind::Branch || site.kind == SiteKind::Barrier) continue;
      if (site.in_registers) {
        made.unit = SmUnit::None;
        continue;
      }
      if (site.kind == SiteKind::AsyncCopy || site.kind == SiteKind::BulkCopy) made.copies = true;
      if (site.space == Space::Parameter) continue;
      if (site.space == Space::Constant) {
        made.unit = SmUnit::Shared;
        made.latency = kConstantLoad;
        made.aside = made.table = true;
        continue;
      }
      made.unit = site.space == Space::Shared ? SmUnit::Shared : SmUnit::Global;
      made.latency = static_cast<std::uint16_t>(site.space == Space::Shared ? device_.shared_latency
                                                                            : device_.l1_latency);
      made.store = trace::is_store(site.kind) || site.kind == SiteKind::Reduction || site.reduction ||
                   site.kind == SiteKind::AsyncCopy;
    }
  }

  // Executions of one PTX block, one after the other, without a jump into its middle.
  struct Stretch {
    std::uint32_t function = 0, block = 0;
    std::size_t first = 0, last = 0;  // of the walk
  };

  std::vector<Stretch> stretches_of(const std::vector<WalkedStep>& walk) const {
    std::vector<Stretch> out;
    for (std::size_t at = 0; at < walk.size(); ++at) {
      const WalkedStep& now = walk[at];
      if (now.active == 0) continue;  // where the last lanes left
      const ptx::Function& f = module_.functions[now.function];
      const std::uint32_t block = now.instruction < f.block_of.size() ? f.block_of[now.instruction] : 0;
      const bool goes_on = at > 0 && !out.empty() && out.back().last == at &&
                           now.function == out.back().function && block == out.back().block &&
                           now.instruction >= walk[at - 1].instruction &&
                           now.instruction - walk[at - 1].instruction <= 1;
      if (!goes_on) out.push_back({now.function, block, at, at});
      out.back().last = at + 1;
    }
    return out;
  }

  void add(const WarpWalk& walk) {
    auto& block = out_.blocks.emplace_back();
    for (const std::vector<WalkedStep>& warp : walk.warps) {
      std::vector<SmStep>& steps = block.emplace_back();
      steps.reserve(warp.size());
      const std::vector<Stretch> stretches = stretches_of(warp);
      last_ = {ptx::kNone, 0};
      came_from_ = {ptx::kNone, nullptr};
      for (std::size_t at = 0; at < stretches.size();) at = add_stretch(warp, stretches, at, steps);
    }
  }

  // What runs from there on as one chain of machine instructions; where the next one begins.
  std::size_t add_stretch(const std::vector<WalkedStep>& warp, const std::vector<Stretch>& all,
                          std::size_t at, std::vector<SmStep>& steps) {
    const Stretch& first = all[at];
    first_of(first.function);
    const CodedChains& chains = chains_[first.function];
    const std::size_t home = chains.of_block.empty() ? all.size() : home_of(chains, all, at);
    if (home == all.size()) {
      for (std::size_t i = first.first; i < first.last; ++i)
        add_plain(warp[i], !chains.of_block.empty(), steps);
      return at + 1;
    }
    const std::vector<CodedChain>& choices = chains.of_block[all[home].block];
    const std::pair here{first.function, all[home].block};
    nth_ = std::exchange(last_, here) == here ? nth_ + 1 : 0;
    if (chains.machine.in_turn[all[home].block]) {
      add_chain(warp, all, {at, home, home + 1}, choices[std::min(nth_, choices.size() - 1)], steps);
      return home + 1;
    }
    for (const CodedChain& chain : choices) {
      const std::size_t end = turns_from(chain, all, home);
      if (end == home && &chain != &choices.back()) continue;
      add_chain(warp, all, {at, home, std::max(end, home + 1)}, chain, steps);
      return std::max(end, home + 1);
    }
    return at + 1;
  }

  // The execution whose chain has the block at `at`: itself, or one behind it into whose machine code ptxas
  // has put this one and those between them, predicated. all.size() where there is none.
  static std::size_t home_of(const CodedChains& chains, const std::vector<Stretch>& all, std::size_t at) {
    std::size_t home = at;
    while (home < all.size() && all[home].function == all[at].function &&
           chains.of_block[all[home].block].empty())
      ++home;
    if (home == all.size() || all[home].function != all[at].function) return all.size();
    const std::vector<std::uint32_t>& covers = chains.of_block[all[home].block].front().covers;
    for (std::size_t s = at; s < home; ++s)
      if (!std::ranges::binary_search(covers, all[s].block)) return all.size();
    return home;
  }

  // Behind as many executions of the block as the chain has turns, and of what it covers between them; `at`
  // where there are not so many. What stands in front of the block is the next turn's.
  static std::size_t turns_from(const CodedChain& chain, const std::vector<Stretch>& all, std::size_t at) {
    std::uint32_t turns = 0;
    std::size_t end = at;
    for (; end < all.size(); ++end) {
      if (all[end].function != all[at].function) break;
      if (all[end].block == all[at].block) {
        if (turns == chain.turns) break;
        ++turns;
      } else if (!std::ranges::binary_search(chain.covers, all[end].block)) {
        break;
      } else if (turns == chain.turns && all[end].block < all[at].block) {
        break;
      }
    }
    return turns == chain.turns ? end : at;
  }

  struct Span {  // of executions: from where, the first of the chain's own block, to where
    std::size_t from = 0, home = 0, to = 0;
  };

  struct Waiting {  // of the walk, for the machine instruction that carries it out
    std::uint32_t instruction = 0, turn = 0;
    std::size_t at = 0;
    bool taken = false;
  };

  void add_chain(const std::vector<WalkedStep>& warp, const std::vector<Stretch>& all, const Span& span,
                 const CodedChain& chain, std::vector<SmStep>& steps) {
    waiting_.clear();
    const std::uint32_t own = all[span.home].block;
    std::uint32_t begun = 0;  // turns; what stands in front of the block belongs to the next one
    for (std::size_t s = span.from; s < span.to; ++s) {
      if (all[s].block == own) ++begun;
      const std::uint32_t turn =
          all[s].block < own ? std::min(begun, chain.turns - 1) : std::max(begun, 1u) - 1;
      const std::uint32_t plain = first_of(all[s].function);
      for (std::size_t i = all[s].first; i < all[s].last; ++i) {
        const SmUnit unit = out_.instructions[plain + warp[i].instruction].unit;
        if (warp[i].step != SmStep::kNoAccess || unit == SmUnit::Barrier || unit == SmUnit::Exit ||
            unit == SmUnit::Fence)
          waiting_.push_back({warp[i].instruction, turn, i, false});
      }
    }
    go_to(all[span.home].function, chain, steps);
    std::size_t met = span.home;   // where lanes came together last
    auto open = waiting_.begin();  // none before it is left
    for (const CodedChain::Step& coded : chain.steps) {
      SmStep step{coded.instruction, SmStep::kNoAccess};
      if (coded.binds) {
        const SmUnit unit = out_.instructions[coded.instruction].unit;
        Waiting* found = nullptr;
        while (open != waiting_.end() && open->taken) ++open;
        for (auto w = open; w != waiting_.end(); ++w)
          if (!w->taken && w->instruction == coded.made_of && (found == nullptr || w->turn == coded.turn)) {
            found = &*w;
            if (w->turn == coded.turn) break;
          }
        if (found != nullptr) found->taken = true;
        const bool memory = unit == SmUnit::Global || unit == SmUnit::Shared;
        if (!memory && found == nullptr) continue;
        if (memory && (found == nullptr || !accesses_.add(warp[found->at].step, step.access)))
          step.access = SmStep::kPredicatedOff;
      }
      if (out_.instructions[coded.instruction].meets) {
        std::size_t ways = 1;
        while (ways == 1 && met < span.to) ways = ways_to(warp, all, met++);
        steps.insert(steps.end(), ways - 1, step);
      }
      steps.push_back(step);
    }
    for (const Waiting& w : waiting_)
      if (!w.taken && !loaded_by(chain, w)) add_plain(warp[w.at], true, steps);
  }

  // What lies between the chain before and this one. That one may have a block behind this one as well.
  void go_to(std::uint32_t function, const CodedChain& chain, std::vector<SmStep>& steps) {
    const auto from = std::exchange(came_from_, std::pair{function, &chain});
    if (from.first != function || chain.blocks.empty()) return;
    const CodedChains& all = chains_.at(function);
    const auto [known, fresh] = ways_.try_emplace({from.second, &chain});
    for (auto b = from.second->blocks.rbegin(); fresh && b != from.second->blocks.rend(); ++b)
      if (auto way =
              all.machine.way(*b, chain.blocks.front(), from.second == &chain ? ptx::kNone : chain.loop)) {
        known->second = std::move(*way);
        break;
      }
    for (const std::uint32_t b : known->second)
      for (const CodedChain::Step& step : all.between[b].steps)
        steps.push_back({step.instruction, SmStep::kNoAccess});
  }

  // On how many ways of the machine's the lanes of an execution came there: 1 where they were together
  // before. Blocks that are predicated into others' code are no ways.
  std::size_t ways_to(const std::vector<WalkedStep>& warp, const std::vector<Stretch>& all,
                      std::size_t at) const {
    const LaneMask together = warp[all[at].first].active;
    LaneMask seen = 0;
    std::size_t ways = 0;
    while (at-- > 0 && seen != together) {
      const auto& chains = chains_.at(all[at].function).of_block;
      if (!chains.empty() && chains[all[at].block].empty()) continue;
      const LaneMask here = warp[all[at].first].active & together;
      if ((here & ~seen) != 0) ++ways, seen |= here;
    }
    return std::max<std::size_t>(1, ways);
  }

  // The chain turns several times and loads it less often: another turn's load has brought its value.
  bool loaded_by(const CodedChain& chain, const Waiting& waiting) const {
    if (chain.turns < 2) return false;
    return std::ranges::any_of(chain.steps, [&](const CodedChain::Step& step) {
      const trace::SiteId site = out_.instructions[step.instruction].site;
      return step.binds && step.made_of == waiting.instruction && site < trace_.sites.size() &&
             trace_.sites[site].kind == SiteKind::Load;
    });
  }

  // An instruction of the PTX as it stands. Of code that is known otherwise only what must not be missing.
  void add_plain(const WalkedStep& walked, bool known, std::vector<SmStep>& steps) {
    SmStep step{first_of(walked.function) + walked.instruction, SmStep::kNoAccess};
    const SmInstruction& made = out_.instructions[step.instruction];
    if (made.unit == SmUnit::None) {
      // Values still flow through moves.
      if (made.write_count == 0) return;
    } else if (made.unit == SmUnit::Shared || made.unit == SmUnit::Global) {
      if (walked.step != SmStep::kNoAccess && !accesses_.add(walked.step, step.access)) return;
      if (known && step.access == SmStep::kNoAccess) return;
    } else if (known && made.unit != SmUnit::Barrier && made.unit != SmUnit::Fence &&
               (made.unit != SmUnit::Exit || chains_[walked.function].branches_leave)) {
      return;
    }
    steps.push_back(step);
  }

  const ptx::Module& module_;
  const ptx::Function& entry_;
  const trace::Trace& trace_;
  const Device& device_;
  const trace::BlockWork* work_;
  const SmCodeLimits& limits_;
  std::map<std::uint32_t, std::uint32_t> first_;  // function -> its first instruction
  std::map<std::uint32_t, CodedChains> chains_;   // by function
  // The function and block whose chain came last, and how often it came before one after the other.
  std::pair<std::uint32_t, std::uint32_t> last_{ptx::kNone, 0};
  std::size_t nth_ = 0;
  std::pair<std::uint32_t, const CodedChain*> came_from_{ptx::kNone, nullptr};  // the last, of that function
  std::map<std::pair<const CodedChain*, const CodedChain*>, std::vector<std::uint32_t>> ways_;
  std::vector<Waiting> waiting_;
  std::vector<double> walked_;         // instructions of the PTX, by block
  std::vector<std::uint64_t> stored_;  // which blocks of the launch they are
  SmCode out_;
  SmAccesses accesses_;
};

}  // namespace

SmCode sm_code(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
               const CacheReport& caches, const Device& device, const trace::BlockWork* work,
               const SmCodeLimits& limits) {
  return Builder(module, entry, trace, caches, device, work, limits).build();
}

}  // namespace warplens::analysis
