#include "engine/analysis/sm_code.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "engine/analysis/chain_code.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/patterns.h"
#include "engine/analysis/shared_banks.h"
#include "engine/analysis/sm_kinds.h"
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
          const CacheReport& caches, const Device& device, const SmCodeLimits& limits)
      : module_(module), entry_(entry), trace_(trace), caches_(caches), device_(device), limits_(limits) {}

  SmCode build() {
    debts_.resize(trace_.sites.size());
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
      find_served(block);
      add(walk);
    }
    const auto kept = trace_.blocks();
    out_.first_alone = out_.blocks.size() > 1 && kept.front().block == 0 && trace_.blocks_total > kept.size();
    const auto from = walked_.begin() + (out_.first_alone ? 1 : 0);
    if (from != walked_.end())
      out_.walked_a_block =
          std::accumulate(from, walked_.end(), 0.0) / static_cast<double>(walked_.end() - from);
    out_.walked = walked_;
    return std::move(out_);
  }

 private:
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

  // Which answer of the caches each access of the block has: they have them warp by warp, in its order.
  void find_served(const trace::BlockSteps& block) {
    served_.clear();
    const auto found = std::ranges::find(caches_.served, block.block, &ServedBlock::block);
    if (found == caches_.served.end()) return;
    std::vector<std::size_t> next(found->warps.size());
    for (std::size_t step = block.first; step < block.last; ++step) {
      if (trace_.steps()[step].kind != trace::StepKind::Access) continue;
      const trace::AccessView view = trace_.access(step);
      if ((view.space != Space::Global && view.space != Space::Local) || view.warp >= next.size()) continue;
      if (view.site < trace_.sites.size() && trace_.sites[view.site].in_registers) continue;
      const ExecutedShape shape = shape_of(view);
      if (shape.merged_away || shape.active == 0 || next[view.warp] >= found->warps[view.warp].size())
        continue;
      served_[static_cast<std::uint32_t>(step)] = found->warps[view.warp][next[view.warp]++];
    }
  }

  ExecutedShape shape_of(const trace::AccessView& view) const {
    return view.site < trace_.sites.size()
               ? executed_shape(trace_.sites[view.site], view.bytes, view.active, view.addresses.data())
               : ExecutedShape{view.active, view.bytes, 0, false, false, false};
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
    if (chains.in_turn[all[home].block]) {
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
        if (memory && (found == nullptr || !access(warp[found->at].step, step.access)))
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
      if (walked.step != SmStep::kNoAccess && !access(walked.step, step.access)) return;
      if (known && step.access == SmStep::kNoAccess) return;
    } else if (known && made.unit != SmUnit::Barrier && made.unit != SmUnit::Fence &&
               (made.unit != SmUnit::Exit || chains_[walked.function].branches_leave)) {
      return;
    }
    steps.push_back(step);
  }

  // Sectors of a site that are still to be spread over its accesses, by the level that serves them.
  struct Debt {
    double l2 = 0, dram = 0, stored = 0;
  };

  // False where another access is executed for this one.
  bool access(std::uint32_t step, std::uint32_t& number) {
    const trace::AccessView view = trace_.access(step);
    const ExecutedShape shape = shape_of(view);
    if (shape.merged_away || shape.active == 0) return false;
    std::array<std::uint64_t, 32> at = view.addresses;
    for (std::uint64_t& a : at) a += static_cast<std::uint64_t>(shape.offset);
    SmAccess made;
    if (view.space == Space::Constant)
      constant(shape, at, made);
    else if (view.space == Space::Shared)
      made.cycles = static_cast<std::uint16_t>(std::max<std::uint64_t>(
          1, count_shared(view.kind, shape.bytes, shape.active, at.data()).wavefronts));
    else
      memory(view, shape, at, step, made);
    number = static_cast<std::uint32_t>(out_.accesses.size());
    out_.accesses.push_back(made);
    return true;
  }

  // Two cycles and eleven of latency for each further address (C2 of docs/VERIFICATION.md).
  void constant(const ExecutedShape& shape, std::array<std::uint64_t, 32> at, SmAccess& made) {
    std::size_t n = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((shape.active >> lane & 1u) != 0) at[n++] = at[static_cast<std::size_t>(lane)];
    std::sort(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n));
    const auto different = std::unique(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n)) - at.begin();
    made.cycles = static_cast<std::uint16_t>(2 * std::max<std::ptrdiff_t>(1, different));
    made.latency = static_cast<std::uint16_t>(kConstantLoad + 11 * (different - 1) - made.cycles);
    constexpr std::uint64_t kLine = 64;
    made.line = static_cast<std::uint32_t>(out_.table_lines.size());
    for (const std::uint64_t address : std::span(at).first(static_cast<std::size_t>(different)))
      if (const auto line = static_cast<std::uint32_t>(address / kLine);
          out_.table_lines.size() == made.line || out_.table_lines.back() != line)
        out_.table_lines.push_back(line);
    made.requests = static_cast<std::uint16_t>(out_.table_lines.size() - made.line);
  }

  void memory(const trace::AccessView& view, const ExecutedShape& shape,
              const std::array<std::uint64_t, 32>& at, std::uint32_t step, SmAccess& made) {
    const bool local = view.space == Space::Local;
    const GlobalCounts counts = local ? count_local(shape.bytes, shape.active, at.data())
                                      : count_global(view.kind, shape.bytes, shape.active, at.data());
    const int tags = local ? static_cast<int>(counts.requests)
                     : trace::is_atomic(view.kind)
                         ? visit_atomics(view.kind, shape.bytes, shape.active, at.data()).wavefronts
                         : tag_wavefronts(shape.bytes, shape.active, at.data());
    // The banks of L1's data are those of shared memory, across lines (G8 of docs/VERIFICATION.md).
    const std::uint64_t passes =
        local || trace::is_atomic(view.kind)
            ? (counts.sectors + 3) / 4
            : count_shared(SiteKind::Store, shape.bytes, shape.active, at.data()).wavefronts;
    made.cycles = static_cast<std::uint16_t>(std::clamp<std::uint64_t>(
        std::max<std::uint64_t>(static_cast<std::uint64_t>(std::max(1, tags)), passes), 1, 4096));
    made.latency = static_cast<std::uint16_t>(device_.l1_latency);
    if (!local && !trace::is_atomic(view.kind)) name_lines(shape, at, made);
    if (const auto known = served_.find(step); known != served_.end())
      as_served(known->second, trace::is_store(view.kind), made);
    else if (view.site < caches_.sites.size())
      as_on_average(view, counts, made);
    if (trace::is_atomic(view.kind)) {
      made.atomics = static_cast<std::uint16_t>(std::min<std::uint64_t>(counts.sectors, 65535));
      made.answered = view.site >= trace_.sites.size() || !trace_.sites[view.site].reduction;
    }
    if (local)
      made.changed = 0;  // the next block in its place stores to the same lines, before DRAM has them
    made.lines = static_cast<std::uint16_t>(std::clamp<std::uint64_t>(counts.lines, 1, 65535));
    made.sparse = !local && counts.bytes_unique <= 4 * counts.sectors;
    made.requests =
        std::min(made.from_l2, static_cast<std::uint16_t>(std::min<std::uint64_t>(counts.lines, 65535)));
    if (made.from_l2 > 0) made.latency = static_cast<std::uint16_t>(device_.l2_latency);
    made.cold = made.cold || made.from_dram > 0;
    if (made.cold) made.latency = static_cast<std::uint16_t>(device_.dram_latency);
  }

  void name_lines(const ExecutedShape& shape, const std::array<std::uint64_t, 32>& at, SmAccess& made) {
    made.others = static_cast<std::uint32_t>(out_.other_lines.size());
    std::uint64_t before = ~std::uint64_t{0};
    for (LaneMask left = shape.active; left != 0; left &= left - 1) {
      const std::uint64_t line = at[static_cast<std::size_t>(std::countr_zero(left))] >> 7;
      if (std::exchange(before, line) == line) continue;  // as most lanes' neighbours
      const auto [known, fresh] = lines_.try_emplace(line, out_.line_count);
      if (fresh) ++out_.line_count;
      if (made.line == SmAccess::kNoLine) made.line = known->second;
      const auto others = std::span(out_.other_lines).subspan(made.others);
      if (known->second != made.line && std::ranges::find(others, known->second) == others.end())
        out_.other_lines.push_back(known->second);
    }
    made.other_count = static_cast<std::uint16_t>(out_.other_lines.size() - made.others);
  }

  static void as_served(const ServedAccess& served, bool store, SmAccess& made) {
    if (store) {
      made.stored = served.stored;
      made.changed = served.changed;
      return;
    }
    made.from_l2 = served.from_l2;
    made.from_dram = std::min(served.from_dram, served.from_l2);
    made.cold = served.on_the_way;
  }

  // As many of the site's sectors as the caches found in each level, spread over its accesses.
  void as_on_average(const trace::AccessView& view, const GlobalCounts& counts, SmAccess& made) {
    const CacheReport::Site& site = caches_.sites[view.site];
    Debt& debt = debts_[view.site];
    const double sectors = static_cast<double>(counts.sectors);
    if (trace::is_store(view.kind)) {
      const double passed =
          site.l1.writes == 0 ? 1 : static_cast<double>(site.l2.writes) / static_cast<double>(site.l1.writes);
      made.stored = take(debt.stored, sectors * passed);
      if (caches_.l2.writes > 0)
        made.changed = static_cast<std::uint16_t>(made.stored * caches_.changed_sectors / caches_.l2.writes);
      return;
    }
    const bool atomic = trace::is_atomic(view.kind);
    const double asked = static_cast<double>(site.l1.reads);
    const double to_l2 = asked > 0 ? static_cast<double>(site.l1.reads - site.l1.read_hits) / asked : 1;
    const double reads = static_cast<double>(site.l2.reads);
    const double to_dram = reads > 0 ? static_cast<double>(site.l2.reads - site.l2.read_hits) / reads : 0;
    made.from_l2 = take(debt.l2, sectors * (atomic ? 1 : to_l2));
    made.from_dram = std::min(made.from_l2, take(debt.dram, sectors * (atomic ? 1 : to_l2) * to_dram));
  }

  static std::uint16_t take(double& debt, double more) {
    debt += more;
    const double whole = std::floor(debt + 0.5);
    debt -= whole;
    return static_cast<std::uint16_t>(std::clamp(whole, 0.0, 65535.0));
  }

  const ptx::Module& module_;
  const ptx::Function& entry_;
  const trace::Trace& trace_;
  const CacheReport& caches_;
  const Device& device_;
  const SmCodeLimits& limits_;
  std::map<std::uint32_t, std::uint32_t> first_;  // function -> its first instruction
  std::map<std::uint32_t, CodedChains> chains_;   // by function
  // The function and block whose chain came last, and how often it came before one after the other.
  std::pair<std::uint32_t, std::uint32_t> last_{ptx::kNone, 0};
  std::size_t nth_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<Debt> debts_;
  std::unordered_map<std::uint32_t, ServedAccess> served_;  // by step of the block at hand
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;
  std::vector<double> walked_;  // instructions of the PTX, by block
  SmCode out_;
};

}  // namespace

SmCode sm_code(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
               const CacheReport& caches, const Device& device, const SmCodeLimits& limits) {
  return Builder(module, entry, trace, caches, device, limits).build();
}

}  // namespace warplens::analysis
