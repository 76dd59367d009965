#include "engine/ptx/facts/uniformity.h"

#include <algorithm>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/constant_registers.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"

namespace warplens::ptx {
namespace {

bool differs_by_lane(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::TidX:
    case SpecialRegister::TidY:
    case SpecialRegister::TidZ:
    case SpecialRegister::LaneId:
    case SpecialRegister::WarpId:
    case SpecialRegister::LanemaskEq:
    case SpecialRegister::LanemaskLe:
    case SpecialRegister::LanemaskLt:
    case SpecialRegister::LanemaskGe:
    case SpecialRegister::LanemaskGt:
    case SpecialRegister::Unknown:
      return true;
    default:
      return false;
  }
}

bool reads_lane(const Operand& operand) {
  if (operand.kind == OperandKind::Special && differs_by_lane(operand.special)) return true;
  return std::ranges::any_of(operand.elements, reads_lane);
}

// A shuffle gives all lanes one value when all read the same lane of the whole warp: shfl.idx d, a, LANE, 31.
bool broadcasts(const Form& form, const Instruction& instruction, const Uniformity& known,
                const ConstantRegisters& constants) {
  if (!form.has(Modifier::Idx)) return false;
  const auto& operands = instruction.operands;
  return operands.size() >= 4 && known.uniform(operands[2]) &&
         (constants.value(operands[3]).value_or(0) & 0x1f1f) == 31;
}

bool result_differs(const Form& form, const Instruction& instruction, const Uniformity& known,
                    const ConstantRegisters& constants, const Uses& uses) {
  const Lanes lanes = form.effects().lanes;
  if (lanes == Lanes::Same) return false;
  if (lanes == Lanes::Differ) return true;
  if (lanes == Lanes::Exchange) return !broadcasts(form, instruction, known, constants);
  if (form.opcode == Opcode::Ld && form.space == StateSpace::Local) return true;
  if (std::ranges::any_of(instruction.operands, reads_lane)) return true;
  return std::ranges::any_of(uses.reads, [&](RegisterId reg) { return !known.uniform(reg); });
}

// Blocks that lanes may run after parting at the end of `block` and before they meet at its post-dominator.
std::vector<bool> parted_region(const Function& function, std::uint32_t block) {
  std::vector<bool> inside(function.blocks.size(), false);
  const std::uint32_t meet = function.blocks[block].immediate_post_dominator;
  std::vector<std::uint32_t> work = function.blocks[block].successors;
  while (!work.empty()) {
    work_step();
    const std::uint32_t at = work.back();
    work.pop_back();
    if (at == meet || inside[at]) continue;
    inside[at] = true;
    work.insert(work.end(), function.blocks[at].successors.begin(), function.blocks[at].successors.end());
  }
  return inside;
}

// A block that does nothing but end the thread.
bool leaves(const Module& module, const Function& function, std::uint32_t block) {
  const BasicBlock& at = function.blocks[block];
  if (at.first >= function.instructions.size()) return true;
  const Instruction& first = function.instructions[at.first];
  const Form& form = module.form(first);
  return form.effects().ends_thread() && first.guard.predicate == kNone;
}

}  // namespace

bool Uniformity::uniform(const Operand& operand) const {
  if (operand.kind == OperandKind::Special && differs_by_lane(operand.special)) return false;
  if (operand.reg != kNone && !uniform(operand.reg)) return false;
  return std::ranges::all_of(operand.elements, [&](const Operand& element) { return uniform(element); });
}

Uniformity Uniformity::compute(const Module& module, const Function& function) {
  Uniformity out;
  out.divergent_.assign(function.registers.size(), false);
  const ConstantRegisters constants(module, function);
  const auto facts = facts_of(module, function);
  const Liveness& liveness = facts->liveness();
  const std::vector<Uses>& uses = facts->uses();
  std::vector<bool> parted(function.blocks.size(), false);  // branch already treated

  const auto mark = [&](RegisterId reg) {
    if (reg >= out.divergent_.size() || out.divergent_[reg]) return false;
    out.divergent_[reg] = true;
    return true;
  };
  // Values that lanes set differently on the two sides of a branch, or in different turns of a loop, differ
  // where the lanes meet again.
  const auto part = [&](std::uint32_t block) {
    bool changed = false;
    const std::uint32_t meet = function.blocks[block].immediate_post_dominator;
    if (meet >= function.blocks.size()) return false;
    const std::vector<bool> region = parted_region(function, block);
    for (std::uint32_t b = 0; b < region.size(); ++b) {
      if (!region[b]) continue;
      for (std::uint32_t i = function.blocks[b].first; i < function.blocks[b].last; ++i)
        for (const RegisterId reg : uses[i].writes)
          if (liveness.live_in(meet, reg)) changed |= mark(reg);
    }
    return changed;
  };

  // A called function knows nothing about its arguments.
  if (!function.is_entry) {
    for (std::size_t i = 0; i < function.instructions.size(); ++i)
      if (module.form(function.instructions[i]).space == StateSpace::Param)
        for (const RegisterId reg : uses[i].writes) mark(reg);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      work_step();
      const Instruction& instruction = function.instructions[i];
      if (uses[i].writes.empty() ||
          !result_differs(module.form(instruction), instruction, out, constants, uses[i]))
        continue;
      for (const RegisterId reg : uses[i].writes) changed |= mark(reg);
    }
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      const BasicBlock& block = function.blocks[b];
      if (parted[b] || block.successors.size() < 2 || block.last == block.first) continue;
      const Uses& last = uses[block.last - 1];
      if (std::ranges::all_of(last.reads, [&](RegisterId reg) { return out.uniform(reg); })) continue;
      parted[b] = true;
      changed |= part(b);
    }
  }
  return out;
}

std::vector<bool> parted_blocks(const Module& module, const Function& function) {
  std::vector<bool> parted(function.blocks.size(), !function.is_entry);
  if (is_giant(function)) parted.assign(function.blocks.size(), true);  // every block may be
  if (!function.is_entry || is_giant(function)) return parted;
  const auto facts = facts_of(module, function);
  const Uniformity& uniformity = facts->uniformity();
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    const BasicBlock& block = function.blocks[b];
    if (block.successors.size() < 2 || block.last == block.first) continue;
    const Uses& last = facts->uses()[block.last - 1];
    if (std::ranges::all_of(last.reads, [&](RegisterId reg) { return uniformity.uniform(reg); })) continue;
    if (std::ranges::any_of(block.successors, [&](std::uint32_t to) { return leaves(module, function, to); }))
      continue;
    const std::vector<bool> region = parted_region(function, b);
    for (std::uint32_t inside = 0; inside < region.size(); ++inside)
      if (region[inside]) parted[inside] = true;
  }
  return parted;
}

}  // namespace warplens::ptx
