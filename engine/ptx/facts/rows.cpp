#include <algorithm>
#include <map>
#include <queue>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

// First and last instruction at which a register may hold a needed value, both included.
struct Interval {
  std::uint32_t first = kNone, last = 0;
  void include(std::uint32_t i) {
    first = std::min(first, i);
    last = std::max(last, i);
  }
};

std::vector<Interval> intervals_of(const Module& module, const Function& function) {
  const auto facts = facts_of(module, function);
  const Liveness& liveness = facts->liveness();
  std::vector<Interval> intervals(function.registers.size());
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Uses& uses = facts->uses()[i];
    for (const RegisterId reg : uses.reads) intervals[reg].include(i);
    for (const RegisterId reg : uses.writes) intervals[reg].include(i);
  }
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    liveness.for_each_live_in(b, [&](RegisterId reg) { intervals[reg].include(function.blocks[b].first); });
    liveness.for_each_live_out(b,
                               [&](RegisterId reg) { intervals[reg].include(function.blocks[b].last - 1); });
  }
  // Register parameters come from and go to the caller.
  const auto whole = [&](const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) {
      if (variable.space != StateSpace::Reg) continue;
      for (RegisterId reg = 0; reg < function.registers.size(); ++reg) {
        if (function.registers[reg].name != variable.name) continue;
        intervals[reg].first = 0;
        intervals[reg].last = static_cast<std::uint32_t>(function.instructions.size());
      }
    }
  };
  whole(function.parameters);
  whole(function.returns);
  return intervals;
}

// Rows freed by a register go to registers of the same width only. A wide register may be stored lane by lane
// (32 times 8 bytes), and then its lanes lie over other lanes of two narrow rows: shared with those, a write
// of one lane would destroy what another lane still needs. Wide registers start at even rows.
class RowPool {
 public:
  std::uint32_t take(int bytes) {
    std::vector<std::uint32_t>& free = free_[bytes];
    if (!free.empty()) {
      const std::uint32_t row = free.back();
      free.pop_back();
      return row;
    }
    const std::uint32_t count = rows_of(bytes);
    if (count > 1 && rows_ % 2 != 0) free_[4].push_back(rows_++);
    const std::uint32_t row = rows_;
    rows_ += count;
    return row;
  }
  void give(std::uint32_t row, int bytes) { free_[bytes].push_back(row); }
  std::uint32_t rows() const { return rows_; }

 private:
  static std::uint32_t rows_of(int bytes) { return static_cast<std::uint32_t>(std::max(1, bytes / 4)); }

  std::uint32_t rows_ = 0;
  std::map<int, std::vector<std::uint32_t>> free_;  // by bytes of the register
};

// Predicates are one mask each.
class MaskPool {
 public:
  std::uint32_t take(std::uint32_t) {
    if (free_.empty()) return masks_++;
    const std::uint32_t mask = free_.back();
    free_.pop_back();
    return mask;
  }
  void give(std::uint32_t mask, std::uint32_t) { free_.push_back(mask); }
  std::uint32_t masks() const { return masks_; }

 private:
  std::uint32_t masks_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace

RowAssignment assign_rows(const Module& module, const Function& function, const std::vector<LateRead>& late) {
  std::vector<Interval> intervals = intervals_of(module, function);
  for (const auto& [at, reg] : late) intervals[reg].include(at);
  RowAssignment result;
  result.row.assign(function.registers.size(), 0);
  std::vector<RegisterId> order;
  for (RegisterId reg = 0; reg < intervals.size(); ++reg) {
    if (intervals[reg].first != kNone) order.push_back(reg);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](RegisterId a, RegisterId b) { return intervals[a].first < intervals[b].first; });

  RowPool rows;
  MaskPool masks;
  using Ending = std::pair<std::uint32_t, RegisterId>;  // last instruction, register
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
  for (const RegisterId reg : order) {
    while (!active.empty() && active.top().first < intervals[reg].first) {
      const RegisterId done = active.top().second;
      active.pop();
      const Type type = function.registers[done].type;
      type == Type::Pred ? masks.give(result.row[done], 1) : rows.give(result.row[done], size_of(type));
    }
    const Type type = function.registers[reg].type;
    result.row[reg] = type == Type::Pred ? masks.take(1) : rows.take(size_of(type));
    active.emplace(intervals[reg].last, reg);
  }
  result.rows = rows.rows();
  result.predicate_masks = masks.masks();
  return result;
}

}  // namespace warplens::ptx
