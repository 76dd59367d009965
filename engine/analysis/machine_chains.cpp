#include "engine/analysis/machine_chains.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::analysis {
namespace {

using ptx::kNone;
using ptx::MachineInstruction;
using ptx::MachineOp;

bool accesses(const MachineInstruction& machine) {
  return machine.op >= MachineOp::Load && machine.op <= MachineOp::ConstantLoad;
}

// Machine blocks of one PTX block that run one after the other, while it is put together.
struct Draft {
  std::vector<std::uint32_t> blocks;      // of the machine
  std::map<std::uint32_t, int> counts;    // PTX instruction -> machine instructions
  std::map<std::uint32_t, int> accesses;  // the same, of what accesses memory
  std::set<std::uint32_t> told;           // PTX instructions of those that tell
};

class ChainBuilder {
 public:
  ChainBuilder(const ptx::Module& module, const ptx::Function& function)
      : module_(module),
        function_(function),
        facts_(ptx::facts_of(module, function)),
        all_(facts_->machine_blocks()) {}

  MachineChains build() {
    MachineChains out;
    if (all_.blocks.empty()) return out;
    out.made.assign(function_.instructions.size(), false);
    stands_.assign(function_.blocks.size(), false);
    for (const MachineInstruction& m : function_.machine)
      if (m.made_of < out.made.size()) {
        out.made[m.made_of] = true;
        stands_[function_.block_of[m.made_of]] = true;
      }
    std::vector<std::vector<Draft>> drafts(function_.blocks.size());
    find_loops();
    find_between();
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b)
      if (home_of(b) != kNone && !between_[b]) add(drafts[home_of(b)], draft_of(b), home_of(b));
    out.between.resize(all_.blocks.size());
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b) {
      out.next.push_back(all_.blocks[b].successors);
      out.between_of.push_back(home_of(b));
      if (between_[b]) out.between[b] = chain_of(draft_of(b), home_of(b), 1, drafts, out).entries;
    }
    out.of_block.resize(function_.blocks.size());
    for (std::uint32_t b = 0; b < drafts.size(); ++b) {
      for (const Draft& draft : drafts[b])
        out.of_block[b].push_back(chain_of(draft, b, turns_of(draft, drafts[b], b), drafts, out));
      out.in_turn.push_back(stand_in_turn(drafts[b], out.of_block[b], b));
      if (out.in_turn.back()) continue;
      // Of several with as many turns the one that has most of it: others only ask whether the loop goes on.
      std::ranges::stable_sort(out.of_block[b], [](const MachineChain& x, const MachineChain& y) {
        return x.turns != y.turns ? x.turns > y.turns : x.entries.size() > y.entries.size();
      });
    }
    return out;
  }

 private:
  // The PTX block as often as which it runs, or of which it was made. Of several that always run together the
  // latter: what others run between them comes in its place.
  std::uint32_t home_of(std::uint32_t b) const {
    const ptx::MachineBlock& block = all_.blocks[b];
    if (!block.normal) return kNone;
    const auto ptx_block = [&](std::uint32_t i) {
      return i < function_.instructions.size() ? function_.block_of[i] : kNone;
    };
    const std::uint32_t as = ptx_block(block.runs_as), of = ptx_block(block.mostly);
    if (as == kNone || of == kNone) return as == kNone ? of : as;
    const auto first = function_.machine.begin();
    const bool told_here =
        std::any_of(first + block.first, first + block.last,
                    [&](const MachineInstruction& m) { return m.made_of == block.runs_as; });
    return !told_here && run_together(std::min(as, of), std::max(as, of)) ? of : as;
  }

  // Whoever runs the one PTX block runs the other behind it, as often.
  bool run_together(std::uint32_t one, std::uint32_t behind) const {
    if (one == behind) return true;
    if (loop_of_[one] != loop_of_[behind]) return false;
    std::uint32_t up = behind, down = one;
    while (up > one && up != kNone && facts_->dominators()[up] != up) up = facts_->dominators()[up];
    while (down < behind) down = function_.blocks[down].immediate_post_dominator;
    return up == one && down == behind;
  }

  // By PTX block the first one of the innermost loop around it; kNone outside of loops.
  void find_loops() {
    const std::vector<std::uint32_t>& above = facts_->dominators();
    const auto dominates = [&](std::uint32_t one, std::uint32_t b) {
      while (b > one && b != kNone && above[b] != b) b = above[b];
      return b == one;
    };
    std::map<std::uint32_t, std::set<std::uint32_t>> bodies;
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b)
      for (const std::uint32_t first : function_.blocks[b].successors)
        if (dominates(first, b)) {
          std::set<std::uint32_t>& body = bodies[first];
          body.insert(first);
          std::vector<std::uint32_t> open{b};
          while (!open.empty()) {
            const std::uint32_t in = open.back();
            open.pop_back();
            if (body.insert(in).second)
              open.insert(open.end(), function_.blocks[in].predecessors.begin(),
                          function_.blocks[in].predecessors.end());
          }
        }
    loop_of_.assign(function_.blocks.size(), kNone);
    std::vector<std::size_t> size(function_.blocks.size(), ~std::size_t{0});
    for (const auto& [first, body] : bodies)
      for (const std::uint32_t b : body)
        if (body.size() < size[b]) loop_of_[b] = first, size[b] = body.size();
  }

  // Blocks that were made of a loop's body and do not run as often: without the accesses that every copy of
  // the body has, or, where it has none, outside of the machine's loop and without most of it.
  void find_between() {
    between_.assign(all_.blocks.size(), false);
    struct Seen {
      std::uint32_t loops = 0;
      std::size_t most = 0;  // of its instructions, in one machine block
      bool accesses = false;
    };
    std::vector<Seen> seen(function_.blocks.size());
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b)
      if (const std::uint32_t home = home_of(b); home != kNone) {
        Seen& here = seen[home];
        here.loops = std::max(here.loops, all_.blocks[b].loops);
        here.most = std::max(here.most, different(b, home));
        here.accesses = here.accesses || accesses_of(b, home);
      }
    for (std::uint32_t b = 0; b < all_.blocks.size(); ++b) {
      const std::uint32_t home = home_of(b);
      if (home == kNone || function_.blocks[home].loop_depth == 0) continue;
      // A jump may have been put down again, for a copy that is not begun.
      if (const std::uint32_t as = all_.blocks[b].runs_as;
          as != kNone && module_.form(function_.instructions[as]).opcode != ptx::Opcode::Bra)
        continue;
      const Seen& here = seen[home];
      between_[b] = here.accesses ? !accesses_of(b, home)
                                  : all_.blocks[b].loops < here.loops && 2 * different(b, home) <= here.most;
    }
  }

  // Of how many instructions of the PTX block something stands in the machine's.
  std::size_t different(std::uint32_t b, std::uint32_t home) const {
    std::set<std::uint32_t> out;
    for (std::uint32_t i = all_.blocks[b].first; i < all_.blocks[b].last; ++i)
      if (const std::uint32_t made_of = function_.machine[i].made_of;
          made_of < function_.instructions.size() && function_.block_of[made_of] == home)
        out.insert(made_of);
    return out.size();
  }

  // Whether it has accesses, barriers or the like of the PTX block. Of constants those that each turn loads.
  bool accesses_of(std::uint32_t b, std::uint32_t home) const {
    return std::any_of(
        function_.machine.begin() + all_.blocks[b].first, function_.machine.begin() + all_.blocks[b].last,
        [&](const MachineInstruction& m) {
          if (m.made_of >= function_.instructions.size() || function_.block_of[m.made_of] != home)
            return false;
          return (m.op >= MachineOp::Load && m.op <= MachineOp::MatrixLoad) || m.op == MachineOp::Call ||
                 m.op == MachineOp::Barrier || m.op == MachineOp::Shuffle || m.op == MachineOp::Vote ||
                 (m.op == MachineOp::ConstantLoad &&
                  module_.form(function_.instructions[m.made_of]).space == ptx::StateSpace::Const);
        });
  }

  // Three copies of a loop's body at least, about as long as each other but for the first, which has what is
  // computed once; nothing jumps back to one of them or from one of them.
  bool stand_in_turn(const std::vector<Draft>& drafts, const std::vector<MachineChain>& chains,
                     std::uint32_t b) const {
    if (drafts.size() < 3 || function_.blocks[b].loop_depth == 0) return false;
    for (std::size_t k = 0; k < chains.size(); ++k) {
      const bool inner = k > 0 && k + 1 < chains.size();
      if (chains[k].turns != 1 || (inner && 2 * chains[k].entries.size() < chains[1].entries.size()))
        return false;
    }
    const std::uint32_t first = drafts.front().blocks.front(), last = drafts.back().blocks.back();
    for (std::uint32_t m = first; m < all_.blocks.size(); ++m)
      if (all_.blocks[m].normal && std::ranges::any_of(all_.blocks[m].successors, [&](std::uint32_t next) {
            return next <= m && (m <= last || (first <= next && next <= last));
          }))
        return false;
    return true;
  }

  Draft draft_of(std::uint32_t b) const {
    Draft out;
    out.blocks = {b};
    for (std::uint32_t i = all_.blocks[b].first; i < all_.blocks[b].last; ++i) {
      const MachineInstruction& m = function_.machine[i];
      if (m.made_of >= function_.instructions.size()) continue;
      ++out.counts[m.made_of];
      if (accesses(m)) ++out.accesses[m.made_of];
      if (tells(m)) out.told.insert(m.made_of);
    }
    return out;
  }

  // A copy of what stands there already, or a further part of it?
  bool repeats(const Draft& before, const Draft& draft, std::uint32_t b) const {
    if (std::ranges::any_of(draft.told, [&](std::uint32_t i) { return before.told.contains(i); }))
      return true;
    if (function_.blocks[b].loop_depth == 0 || leads_only_to(before.blocks.back(), draft.blocks.front()))
      return false;
    if (!draft.told.empty() && !before.told.empty()) return false;
    const auto both =
        std::ranges::count_if(draft.counts, [&](const auto& c) { return before.counts.contains(c.first); });
    return 2 * static_cast<std::size_t>(both) > std::min(before.counts.size(), draft.counts.size());
  }

  bool leads_only_to(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::all_of(all_.blocks[from].successors, [&](std::uint32_t next) {
      return next == to || !all_.blocks[next].normal || (next == from && tries_again(from)) ||
             (between_[next] && next > from && next < to && leads_only_to(next, to));
    });
  }

  void add(std::vector<Draft>& drafts, Draft&& draft, std::uint32_t b) const {
    if (drafts.empty() || repeats(drafts.back(), draft, b)) {
      drafts.push_back(std::move(draft));
      return;
    }
    Draft& last = drafts.back();
    last.blocks.push_back(draft.blocks.front());
    for (const auto& [i, n] : draft.counts) last.counts[i] += n;
    for (const auto& [i, n] : draft.accesses) last.accesses[i] += n;
    last.told.insert(draft.told.begin(), draft.told.end());
  }

  // A sum of floats in shared memory is tried until nobody else came in between.
  bool tries_again(std::uint32_t b) const {
    const std::uint32_t made_of = function_.machine[all_.blocks[b].last - 1].made_of;
    if (made_of >= function_.instructions.size()) return false;
    const ptx::Opcode opcode = module_.form(function_.instructions[made_of]).opcode;
    return opcode == ptx::Opcode::Atom || opcode == ptx::Opcode::Red;
  }

  using Votes = std::map<int, int>;  // turns -> instructions that say so
  static int most(const Votes& votes) {
    const auto found = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    return found == votes.end() ? 1 : found->first;
  }

  // How often the PTX block's own accesses stand in it; without any, how often its instructions do, against
  // the copy that has them least often.
  std::uint32_t turns_of(const Draft& draft, const std::vector<Draft>& all, std::uint32_t b) const {
    Votes loads, votes;
    const auto as_often = [&](std::uint32_t i) {
      const std::uint32_t of = function_.block_of[i];
      return run_together(std::min(of, b), std::max(of, b));
    };
    for (const auto& [i, n] : draft.accesses)
      if (as_often(i)) ++loads[n];
    if (all.size() < 2 || function_.blocks[b].loop_depth == 0)
      return static_cast<std::uint32_t>(std::max(1, most(loads)));
    // Of accesses that ptxas predicated: what a shorter copy has of them.
    Votes predicated;
    for (const auto& [i, n] : draft.counts) {
      int least = n;
      for (const Draft& other : all)
        if (const auto found = other.counts.find(i); found != other.counts.end())
          least = std::min(least, found->second);
      if (as_often(i)) ++votes[n / least];
      if (draft.accesses.contains(i)) ++predicated[n / least];
    }
    if (loads.empty() && !predicated.empty())
      return static_cast<std::uint32_t>(std::max(most(predicated), most(votes)));
    if (loads.empty()) return static_cast<std::uint32_t>(std::max(1, most(votes)));
    // What the turn before has loaded or computed already stands there less often than the loop turns.
    int turns = most(loads);
    for (const auto& [n, accesses] : loads)
      if (n > turns && kFewVotes * votes[n] >= static_cast<int>(draft.counts.size())) turns = n;
    return static_cast<std::uint32_t>(std::max(1, turns));
  }
  static constexpr int kFewVotes = 6;  // so many times as many instructions may say less

  // Other PTX blocks are covered where what tells of them stands in it too, or nothing of them stands in
  // chains of their own.
  std::vector<std::uint32_t> covered(const Draft& draft, std::uint32_t own,
                                     const std::vector<std::vector<Draft>>& drafts) const {
    std::set<std::uint32_t> out{own};
    for (const std::uint32_t i : draft.told)
      if (stands_whole(function_.block_of[i], own, draft, drafts)) out.insert(function_.block_of[i]);
    for (const auto& [i, n] : draft.counts)
      if (drafts[function_.block_of[i]].empty()) out.insert(function_.block_of[i]);
    // Of what lies among them nothing may have been made at all.
    for (std::uint32_t b = *out.begin() + 1; b < *out.rbegin(); ++b)
      if (!stands_[b]) out.insert(b);
    return {out.begin(), out.end()};
  }

  // A copy of all that tells of the PTX block, not only what ptxas has moved there: out of a loop, which says
  // nothing of how often that turns, or up from a block that has the rest of it in chains of its own.
  bool stands_whole(std::uint32_t b, std::uint32_t own, const Draft& draft,
                    const std::vector<std::vector<Draft>>& drafts) const {
    if (b == own || drafts[b].empty()) return true;
    if (function_.blocks[b].loop_depth > function_.blocks[own].loop_depth) return false;
    return std::ranges::all_of(drafts[b], [&](const Draft& its) {
      return std::ranges::all_of(
          its.told, [&](std::uint32_t i) { return function_.block_of[i] != b || draft.told.contains(i); });
    });
  }

  MachineChain chain_of(const Draft& draft, std::uint32_t own, std::uint32_t turns,
                        const std::vector<std::vector<Draft>>& drafts, const MachineChains& all) const {
    MachineChain out;
    out.turns = turns;
    out.blocks = draft.blocks;
    out.covers = covered(draft, own, drafts);
    std::map<std::pair<std::uint32_t, bool>, std::uint32_t> next;
    std::uint32_t before = kNone;
    for (const std::uint32_t b : draft.blocks) {
      if (const std::uint32_t from = std::exchange(before, b); from != kNone)
        for (const std::uint32_t on_the_way : all.way(from, b, own).value_or(std::vector<std::uint32_t>{}))
          out.entries.insert(out.entries.end(), all.between[on_the_way].begin(),
                             all.between[on_the_way].end());
      for (std::uint32_t i = all_.blocks[b].first; i < all_.blocks[b].last; ++i) {
        const MachineInstruction& m = function_.machine[i];
        ChainEntry entry{.machine = i};
        if (m.made_of < function_.instructions.size()) {
          entry.made_of = m.made_of;
          const auto counted = draft.accesses.find(m.made_of);
          const int of_accesses = counted == draft.accesses.end() ? 0 : counted->second;
          const int total = accesses(m) ? of_accesses : draft.counts.at(m.made_of) - of_accesses;
          const std::uint32_t n = next[{m.made_of, accesses(m)}]++;
          const std::uint32_t each = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(total) / turns);
          entry.turn = std::min(turns - 1, n / each);
          entry.nth = n - entry.turn * each;
          entry.of = entry.turn + 1 == turns ? static_cast<std::uint32_t>(total) - entry.turn * each : each;
          if (entry.of == 0 || static_cast<std::uint32_t>(total) < turns) entry.of = each;
        }
        out.entries.push_back(entry);
        if (const auto routine = all_.routines.find(i); routine != all_.routines.end())
          out.entries.insert(out.entries.end(), static_cast<std::size_t>(routine->second),
                             ChainEntry{.machine = i, .routine = true});
      }
    }
    return out;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const std::shared_ptr<const ptx::FunctionFacts> facts_;
  const ptx::MachineBlocks& all_;
  std::vector<std::uint32_t> loop_of_;
  std::vector<bool> between_;  // by machine block
  std::vector<bool> stands_;   // by PTX block: something was made of it
};

}  // namespace

std::optional<std::vector<std::uint32_t>> MachineChains::way(std::uint32_t from, std::uint32_t to,
                                                             std::uint32_t into) const {
  constexpr std::size_t kMostBlocks = 16, kMostTries = 2000;
  std::optional<std::vector<std::uint32_t>> best;
  std::ptrdiff_t most = 0;
  std::size_t tries = 0;
  std::vector<std::uint32_t> here;
  const auto asks = [&](std::uint32_t b) { return between_of[b] == into; };
  const std::function<void(std::uint32_t)> look = [&](std::uint32_t at) {
    if (++tries > kMostTries) return;
    for (const std::uint32_t b : next[at]) {
      if (b == to) {
        const std::ptrdiff_t count = std::ranges::count_if(here, asks);
        if (!best || count > most || (count == most && here.size() < best->size())) best = here, most = count;
      } else if (!between[b].empty() && here.size() < kMostBlocks &&
                 std::ranges::find(here, b) == here.end()) {
        here.push_back(b);
        look(b);
        here.pop_back();
      }
    }
  };
  look(from);
  return best;
}

MachineChains machine_chains(const ptx::Module& module, const ptx::Function& function) {
  if (function.machine.empty()) return {};
  return ChainBuilder(module, function).build();
}

}  // namespace warplens::analysis
