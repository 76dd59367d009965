#include "engine/ptx/facts/machine_cost.h"

#include <algorithm>

#include "engine/ptx/facts/liveness.h"

namespace warplens::ptx {
namespace {

bool is_wide_integer(const Form& form) {
  const Type type = form.type();
  return size_of(type) == 8 && !is_float(type);
}

}  // namespace

MachineCost::MachineCost(const Module& module, const Function& function)
    : module_(module), function_(function) {
  const std::size_t count = function.registers.size();
  reads_.assign(count, 0);
  in_addresses_.assign(count, 0);
  read_by_add_.assign(count, false);
  product_.assign(count, false);
  definitions_.assign(count, 0);
  for (const Instruction& instruction : function.instructions) {
    const Form& form = module.form(instruction);
    const Uses uses = uses_of(module, function, instruction);
    for (const Operand& operand : instruction.operands)
      if (operand.kind == OperandKind::Address && operand.reg < count) ++in_addresses_[operand.reg];
    for (const RegisterId reg : uses.reads) {
      if (reg >= count) continue;
      ++reads_[reg];
      if (form.opcode == Opcode::Add) read_by_add_[reg] = true;
    }
    for (const RegisterId reg : uses.writes) {
      if (reg >= count) continue;
      ++definitions_[reg];
      if (form.opcode == Opcode::Mul && form.has(Modifier::Wide)) product_[reg] = true;
    }
  }
}

// A shift that only an addition reads becomes part of it (LEA).
bool MachineCost::feeds_add_alone(const Instruction& instruction) const {
  if (instruction.operands.empty()) return false;
  const RegisterId reg = instruction.operands.front().reg;
  return reg < reads_.size() && reads_[reg] == 1 && read_by_add_[reg] && definitions_[reg] == 1;
}

// Adding a constant to what is an address alone: it becomes the offset of the accesses.
bool MachineCost::feeds_addresses_alone(const Form& form, const Instruction& instruction) const {
  if (form.opcode != Opcode::Add || instruction.operands.size() != 3 ||
      instruction.operands[2].kind != OperandKind::Integer)
    return false;
  const RegisterId reg = instruction.operands[0].reg;
  return reg < reads_.size() && definitions_[reg] == 1 && reads_[reg] > 0 &&
         in_addresses_[reg] == reads_[reg];
}

int MachineCost::weight(const Form& form, const Instruction& instruction) const {
  if (form.space == StateSpace::Param || form.opcode == Opcode::Bra) return 0;
  if (form.opcode == Opcode::Cvta) return 0;
  if (form.opcode == Opcode::Mov) {
    // The address of a shared variable is built from the block's place in its cluster.
    const bool symbol =
        instruction.operands.size() > 1 && instruction.operands[1].kind == OperandKind::Symbol;
    return symbol ? 2 : 0;
  }
  if (form.opcode == Opcode::Mul && form.has(Modifier::Wide)) return 0;
  if (form.opcode == Opcode::Shl && !is_wide_integer(form) && feeds_add_alone(instruction)) return 0;
  if (feeds_addresses_alone(form, instruction)) return 0;
  if (form.opcode == Opcode::Not) return 0;  // part of the logic operation that reads it
  if (form.opcode == Opcode::Cvt) {
    const bool resizes = !is_float(form.type(0)) && !is_float(form.type(1));
    return resizes ? 0 : 1;
  }
  const bool one = form.opcode == Opcode::Ld || form.opcode == Opcode::St || form.opcode == Opcode::Setp ||
                   form.opcode == Opcode::Selp;
  if (one || !is_wide_integer(form)) return 1;
  const bool fused =
      form.opcode == Opcode::Add && std::ranges::any_of(instruction.operands, [&](const Operand& o) {
        return o.reg < product_.size() && product_[o.reg];
      });
  return fused ? 1 : 2;
}

int MachineCost::instruction(std::uint32_t index) const {
  const Instruction& instruction = function_.instructions[index];
  return weight(module_.form(instruction), instruction);
}

Cost MachineCost::block(std::uint32_t index) const {
  Cost cost;
  const BasicBlock& block = function_.blocks[index];
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Instruction& instruction = function_.instructions[i];
    const Form& form = module_.form(instruction);
    cost.instructions += weight(form, instruction);
    cost.loads_global |= form.opcode == Opcode::Ld && form.space == StateSpace::Global;
    cost.unfit |= form.effects().is(kBranched) || execution_of(form, &instruction) != Execution::Instruction;
  }
  return cost;
}

Execution execution_of(const Form& form, const Instruction* instruction) {
  const bool wide = size_of(form.type()) == 8;
  const bool exact = !form.has(Modifier::Approx) && !form.has(Modifier::Full);
  switch (form.effects().routine) {
    case Routine::None:
      return Execution::Instruction;
    case Routine::Division: {
      if (is_float(form.type())) return exact ? Execution::Subroutine : Execution::Instruction;
      const bool by_constant = instruction != nullptr && !instruction->operands.empty() &&
                               instruction->operands.back().kind == OperandKind::Integer;
      if (by_constant) return Execution::Instruction;
      return wide ? Execution::Subroutine : Execution::Sequence;
    }
    case Routine::Root:
      return exact ? Execution::Subroutine : Execution::Instruction;
    case Routine::InverseRoot:
      return wide && !form.has(Modifier::Ftz) ? Execution::Subroutine : Execution::Instruction;
  }
  return Execution::Instruction;
}

int routine_length(const Form& form) {
  const Type type = form.type();
  if (form.effects().routine != Routine::Division || is_float(type) || size_of(type) != 8) return 0;
  const bool remains = form.opcode == Opcode::Rem;
  if (is_signed(type)) return remains ? 78 : 84;
  return remains ? 64 : 68;
}

}  // namespace warplens::ptx
