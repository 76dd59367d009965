#include "engine/gpu/lane_joins.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"

namespace warplens::gpu {
namespace {

using ptx::BasicBlock;
using ptx::Instruction;
using ptx::kNone;

constexpr std::size_t kMostBlocks = 1024;  // giant generated code is left as it is

// What another lane may have written a moment ago.
bool reads_what_others_write(const ptx::Form& form) {
  if (form.opcode == ptx::Opcode::Atom) return true;
  return form.opcode == ptx::Opcode::Ld &&
         (form.has(ptx::Modifier::Volatile) || form.has(ptx::Modifier::Relaxed) ||
          form.has(ptx::Modifier::Acquire));
}

// In a loop, these make ptxas put a YIELD at its head; a reduction in global memory does not.
bool makes_loop_yield(const ptx::Form& form) {
  return reads_what_others_write(form) ||
         (form.opcode == ptx::Opcode::Red && form.space != ptx::StateSpace::Global);
}

bool may_wait(const ptx::Form& form) {
  return form.effects().is(ptx::kWaits) || form.has(ptx::Modifier::Sync);
}

class Finder {
 public:
  Finder(const ptx::Module& module, const ptx::Function& function, const ptx::Uniformity* uniformity)
      : module_(module), function_(function), blocks_(function.blocks), uniformity_(uniformity) {
    dominator_ = ptx::facts_of(module, function)->dominators();
  }

  std::vector<LaneJoin> find() {
    std::map<std::uint32_t, std::uint32_t> from;  // block of `at` -> block of `from`
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      std::uint32_t meets = blocks_[b].immediate_post_dominator;
      if (meets == kNone || !parts_lanes(b) || is_bare_return(meets)) continue;
      if (!yields(between(b, meets))) continue;
      auto first = start_of(b, meets);
      while (first && comes_again(meets, *first)) {
        meets = blocks_[meets].immediate_post_dominator;
        first = start_of(b, meets);
      }
      if (!first || is_bare_return(meets) || !is_safe(between(*first, meets))) continue;
      const auto [at, fresh] = from.try_emplace(meets, *first);
      if (!fresh && dominates(*first, at->second)) at->second = *first;
    }
    std::vector<LaneJoin> out;
    for (const auto& [at, block] : from) out.push_back({blocks_[block].last - 1, blocks_[at].first});
    return out;
  }

  std::vector<LoneLoop> find_lone_loops() const {
    std::vector<LoneLoop> out;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
      auto from = only_other(blocks_[b].predecessors, b);
      const auto behind = only_other(blocks_[b].successors, b);
      if (!from || !behind || !reached(b) || !reached(*from)) continue;
      if (form(blocks_[b].last - 1).opcode != ptx::Opcode::Bra || !is_own(b)) continue;
      // Up as long as lanes come one way alone, and so together; down to where all of them go.
      std::uint32_t meets = *behind;
      while (from && meets != kNone) {
        if (!dominates(*from, meets))
          from = blocks_[*from].predecessors.size() == 1 ? std::optional(blocks_[*from].predecessors[0])
                                                         : std::nullopt;
        else if (!post_dominates(meets, *from) || comes_again(meets, *from))
          meets = blocks_[meets].immediate_post_dominator;
        else
          break;
      }
      if (!from || meets == kNone || is_bare_return(meets) || repeats(*from, meets)) continue;
      if (is_safe(between(*from, meets))) out.push_back({b, {blocks_[*from].last - 1, blocks_[meets].first}});
    }
    return out;
  }

 private:
  // Of a block's neighbours the one that is not the block itself, when it is the only one beside it.
  static std::optional<std::uint32_t> only_other(const std::vector<std::uint32_t>& neighbours,
                                                 std::uint32_t block) {
    if (neighbours.size() != 2 || neighbours[0] == neighbours[1]) return std::nullopt;
    if (neighbours[0] == block) return neighbours[1];
    return neighbours[1] == block ? std::optional(neighbours[0]) : std::nullopt;
  }
  bool is_own(std::uint32_t block) const {
    for (std::uint32_t i = blocks_[block].first; i < blocks_[block].last; ++i)
      if (makes_loop_yield(form(i)) || form(i).opcode == ptx::Opcode::Red) return false;
    return true;
  }
  const ptx::Form& form(std::uint32_t instruction) const {
    return module_.form(function_.instructions[instruction]);
  }
  const Instruction& last_of(std::uint32_t block) const {
    return function_.instructions[blocks_[block].last - 1];
  }
  bool parts_lanes(std::uint32_t block) const {
    if (blocks_[block].successors.size() < 2) return false;
    const ptx::RegisterId guard = last_of(block).guard.predicate;
    return guard == kNone || uniformity_ == nullptr || !uniformity_->uniform(guard);
  }
  // Lanes leave the kernel without waiting for others there.
  bool is_bare_return(std::uint32_t block) const {
    return blocks_[block].last - blocks_[block].first == 1 &&
           form(blocks_[block].first).opcode == ptx::Opcode::Ret;
  }
  bool reached(std::uint32_t block) const { return dominator_[block] != kNone; }
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    while (b != a) {
      work_step();
      if (b == 0 || dominator_[b] == kNone) return false;
      b = dominator_[b];
    }
    return true;
  }
  bool post_dominates(std::uint32_t a, std::uint32_t b) const {
    while (b != a && b != kNone) b = blocks_[b].immediate_post_dominator;
    return b == a;
  }
  // Blocks on the ways from behind `first` to `meets`; `first` itself when one of them leads back to it.
  std::vector<std::uint32_t> between(std::uint32_t first, std::uint32_t meets) const {
    std::vector<std::uint32_t> out, work = blocks_[first].successors;
    std::vector<bool> seen(blocks_.size(), false);
    while (!work.empty()) {
      const std::uint32_t block = work.back();
      work.pop_back();
      work_step();
      if (block == meets || seen[block]) continue;
      seen[block] = true;
      out.push_back(block);
      work.insert(work.end(), blocks_[block].successors.begin(), blocks_[block].successors.end());
    }
    return out;
  }
  bool repeats(std::uint32_t block, std::uint32_t meets) const {
    const auto inside = between(block, meets);
    return std::find(inside.begin(), inside.end(), block) != inside.end();
  }
  // Whether lanes pass `meets` several times behind one passage of `first`: another loop begins there.
  bool comes_again(std::uint32_t meets, std::uint32_t first) const {
    const auto behind = between(meets, first);
    return std::find(behind.begin(), behind.end(), meets) != behind.end();
  }
  bool yields(const std::vector<std::uint32_t>& inside) const {
    return std::ranges::any_of(inside, [&](std::uint32_t b) {
      if (blocks_[b].loop_depth == 0) return false;
      for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i)
        if (makes_loop_yield(form(i))) return true;
      return false;
    });
  }
  // The nearest block through which lanes come to `block` and from there to `meets`, once each time.
  std::optional<std::uint32_t> start_of(std::uint32_t block, std::uint32_t meets) const {
    if (meets == kNone) return std::nullopt;
    for (;;) {
      if (dominates(block, meets) && post_dominates(meets, block) && !repeats(block, meets)) return block;
      if (block == 0 || dominator_[block] == kNone) return std::nullopt;
      block = dominator_[block];
    }
  }

  bool is_safe(const std::vector<std::uint32_t>& inside) const {
    std::vector<bool> foreign(function_.registers.size(), false);  // may hold what another lane decides
    bool grows = false;
    const auto mark = [&](ptx::RegisterId reg) {
      if (reg >= foreign.size() || foreign[reg]) return;
      foreign[reg] = grows = true;
    };
    for (const std::uint32_t b : inside)
      for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i)
        if (may_wait(form(i))) return false;
    do {
      grows = false;
      for (const std::uint32_t b : inside) {
        for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) {
          const auto uses = ptx::uses_of(module_, function_, function_.instructions[i]);
          if (reads_what_others_write(form(i)) ||
              std::ranges::any_of(uses.reads, [&](auto reg) { return reg < foreign.size() && foreign[reg]; }))
            std::ranges::for_each(uses.writes, mark);
        }
        // What lanes write on the ways from such a branch depends on it; a loop may end by it.
        if (blocks_[b].successors.size() < 2) continue;
        const auto chosen_by = ptx::uses_of(module_, function_, last_of(b)).reads;
        if (std::ranges::none_of(chosen_by, [&](auto reg) { return reg < foreign.size() && foreign[reg]; }))
          continue;
        const std::uint32_t meets = blocks_[b].immediate_post_dominator;
        if (repeats(b, meets)) return false;
        for (const std::uint32_t way : between(b, meets))
          for (std::uint32_t i = blocks_[way].first; i < blocks_[way].last; ++i)
            std::ranges::for_each(ptx::uses_of(module_, function_, function_.instructions[i]).writes, mark);
      }
    } while (grows);
    return true;
  }

  const ptx::Module& module_;
  const ptx::Function& function_;
  const std::vector<BasicBlock>& blocks_;
  const ptx::Uniformity* uniformity_;
  std::vector<std::uint32_t> dominator_;
};

}  // namespace

std::vector<LoneLoop> find_lone_loops(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Uniformity* uniformity) {
  if (function.blocks.empty() || function.blocks.size() > kMostBlocks) return {};
  return Finder(module, function, uniformity).find_lone_loops();
}

std::vector<LaneJoin> find_lane_joins(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Uniformity* uniformity) {
  if (function.blocks.empty() || function.blocks.size() > kMostBlocks) return {};
  return Finder(module, function, uniformity).find();
}

}  // namespace warplens::gpu
