#include "engine/ptx/as_executed.h"

namespace warplens::ptx {
namespace {

void count_registers(const Operand& operand, std::vector<std::uint32_t>& uses) {
  if (operand.reg < uses.size()) ++uses[operand.reg];
  for (const Operand& element : operand.elements) count_registers(element, uses);
}

// How often each register is named anywhere. A destination named once is never read: what nvcc, NVRTC and
// clang emit for an atomic whose result is unused.
std::vector<std::uint32_t> register_mentions(const Function& function) {
  std::vector<std::uint32_t> uses(function.registers.size(), 0);
  for (const Instruction& instruction : function.instructions) {
    if (instruction.guard.predicate < uses.size()) ++uses[instruction.guard.predicate];
    for (const Operand& operand : instruction.operands) count_registers(operand, uses);
    for (const Operand& operand : instruction.call_returns) count_registers(operand, uses);
    for (const Operand& operand : instruction.call_arguments) count_registers(operand, uses);
  }
  return uses;
}

bool is_memory(const Form& form) {
  return form.opcode == "ld" || form.opcode == "st" || form.opcode == "atom" || form.opcode == "red" ||
         form.opcode == "ldu";
}

}  // namespace

std::vector<ExecutedAs> as_executed(const Module& module, const Function& function, int) {
  const std::vector<std::uint32_t> mentions = register_mentions(function);
  std::vector<ExecutedAs> out(function.instructions.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    const Form& form = module.form(instruction);
    out[i].leader = i;
    if (!is_memory(form)) continue;
    out[i].bytes = size_of(form.type()) * form.vector_width;
    if (form.opcode != "atom" || instruction.operands.empty()) continue;
    const Operand& result = instruction.operands.front();
    out[i].reduction = result.kind == OperandKind::Sink ||
                       (result.kind == OperandKind::Register && mentions[result.reg] <= 1);
  }
  return out;
}

}  // namespace warplens::ptx
