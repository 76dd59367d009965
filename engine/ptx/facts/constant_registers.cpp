#include "engine/ptx/facts/constant_registers.h"

#include "engine/ptx/facts/liveness.h"

namespace warplens::ptx {

ConstantRegisters::ConstantRegisters(const Module& module, const Function& function)
    : value_(function.registers.size()) {
  std::vector<bool> written(function.registers.size(), false);
  for (const Instruction& instruction : function.instructions)
    for (const RegisterId reg : uses_of(module, function, instruction).writes) {
      if (reg >= written.size()) continue;
      const bool constant = module.form(instruction).opcode == Opcode::Mov &&
                            instruction.guard.predicate == kNone && instruction.operands.size() == 2 &&
                            instruction.operands[1].kind == OperandKind::Integer;
      value_[reg] = constant && !written[reg] ? std::optional(instruction.operands[1].value) : std::nullopt;
      written[reg] = true;
    }
}

std::optional<std::int64_t> ConstantRegisters::value(const Operand& operand) const {
  if (operand.kind == OperandKind::Integer) return operand.value;
  if (operand.kind == OperandKind::Register && operand.reg < value_.size()) return value_[operand.reg];
  return std::nullopt;
}

}  // namespace warplens::ptx
