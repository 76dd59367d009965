#include "engine/ptx/facts/clock_waits.h"

#include <vector>

namespace warplens::ptx {
namespace {

// Blocks that lead there, or where it leads, without leaving the loop.
std::vector<bool> reached(const Function& function, std::uint32_t from, bool forward) {
  std::vector<bool> out(function.blocks.size(), false);
  std::vector<std::uint32_t> open{from};
  const std::uint32_t depth = function.blocks[from].loop_depth;
  while (!open.empty()) {
    const BasicBlock& block = function.blocks[open.back()];
    open.pop_back();
    for (const std::uint32_t next : forward ? block.successors : block.predecessors) {
      if (next >= out.size() || out[next] || function.blocks[next].loop_depth < depth) continue;
      out[next] = true;
      open.push_back(next);
    }
  }
  return out;
}

bool only_computes(const Form& form) {
  const Effects& effects = form.effects();
  const bool parameter = effects.memory == MemoryUse::Load && form.space == StateSpace::Param;
  if (effects.memory != MemoryUse::None && !parameter) return false;
  switch (effects.control) {
    case Control::Next:
    case Control::Branch:
    case Control::Table:
    case Control::Sleep:
      break;
    default:
      return false;
  }
  return effects.issue != Issue::Exchange && effects.issue != Issue::Vote && effects.issue != Issue::Matrix &&
         effects.issue != Issue::Fence;
}

}  // namespace

bool waits_on_clock(const Module& module, const Function& function, std::uint32_t instruction) {
  if (instruction >= function.block_of.size()) return false;
  const std::uint32_t home = function.block_of[instruction];
  if (function.blocks[home].loop_depth == 0) return false;
  const std::vector<bool> behind = reached(function, home, true), before = reached(function, home, false);
  if (!behind[home]) return false;
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    if (!behind[b] || !before[b]) continue;
    for (std::uint32_t i = function.blocks[b].first; i < function.blocks[b].last; ++i)
      if (!only_computes(module.form(function.instructions[i]))) return false;
  }
  return true;
}

}  // namespace warplens::ptx
