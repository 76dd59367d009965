#include "engine/ptx/rules/atomic_form.h"

#include <algorithm>

#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/constant_registers.h"
#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

bool is_fence(const Form& form) {
  return form.opcode == Opcode::Membar || (form.opcode == Opcode::Fence && !form.has(Modifier::Proxy));
}

bool is_atomic(const Form& form) {
  return form.opcode == Opcode::Atom || form.opcode == Opcode::Red;
}

// Registers that some instruction reads.
std::vector<bool> read_registers(const FunctionFacts& facts, const Function& function) {
  std::vector<bool> read(function.registers.size(), false);
  for (const Uses& uses : facts.uses())
    for (const RegisterId reg : uses.reads)
      if (reg < read.size()) read[reg] = true;
  return read;
}

bool result_used(const Form& form, const Instruction& instruction, const std::vector<bool>& read) {
  if (form.opcode == Opcode::Red || instruction.operands.empty()) return false;
  const Operand& result = instruction.operands.front();
  if (result.kind == OperandKind::Vector) return true;
  return result.kind == OperandKind::Register && result.reg < read.size() && read[result.reg];
}

// The operand that is added, compared or combined: the first after the address.
const Operand* value_of(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto address = std::ranges::find(operands, OperandKind::Address, &Operand::kind);
  return address == operands.end() || address + 1 == operands.end() ? nullptr : &*(address + 1);
}

// An inc that wraps where the word does is an addition of one, and ptxas takes it for one.
bool is_addition_of_one(const Form& form, const Operand& value, const ConstantRegisters& constants) {
  const auto constant = constants.value(value);
  if (!constant || is_float(form.type()) || size_of(form.type()) != 4) return false;
  if (form.has(Modifier::Inc)) return static_cast<std::uint32_t>(*constant) == 0xffffffffu;
  return form.has(Modifier::Add) && *constant == 1;
}

AtomicForm combined_form(const Form& form, bool adds, bool used, bool value_uniform) {
  const int bytes = size_of(form.type());
  if (is_float(form.type()) || form.vector_width != 1) return AtomicForm::EveryLane;
  if (adds) {
    if (value_uniform && (bytes == 4 || bytes == 8)) return AtomicForm::OneLane;
    if (bytes != 4) return AtomicForm::EveryLane;
    return used ? AtomicForm::OneLaneIfFull : AtomicForm::OneLane;
  }
  const bool idempotent_or_bits = form.has(Modifier::Min) || form.has(Modifier::Max) ||
                                  form.has(Modifier::And) || form.has(Modifier::Or) ||
                                  form.has(Modifier::Xor);
  return idempotent_or_bits && bytes == 4 && !used ? AtomicForm::OneLane : AtomicForm::EveryLane;
}

}  // namespace

std::vector<AtomicExecution> atomic_executions(const Module& module, const Function& function) {
  std::vector<AtomicExecution> out(function.instructions.size());
  const auto any = [&](auto&& test) {
    return std::ranges::any_of(function.instructions,
                               [&](const Instruction& i) { return test(module.form(i)); });
  };
  if (!any(is_atomic)) return out;
  const auto facts = facts_of(module, function);
  const bool fenced = any(is_fence);
  const std::vector<bool> read = read_registers(*facts, function);
  const Uniformity& uniformity = facts->uniformity();
  const ConstantRegisters constants(module, function);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    const Form& form = module.form(instruction);
    const Operand* address = first_address(instruction);
    const Operand* value = value_of(instruction);
    if (!is_atomic(form) || address == nullptr || value == nullptr) continue;
    const bool used = result_used(form, instruction, read);
    const bool exchanges = form.has(Modifier::Cas) || form.has(Modifier::Exch);
    // There is no generic reduction: what may be shared memory stays an atomic.
    out[i].reduction = !used && !fenced && !exchanges && form.space == StateSpace::Global;
    if (form.opcode == Opcode::Red) out[i].reduction = true;
    const bool shared = form.space == StateSpace::Shared;
    const bool addressed = shared || form.space == StateSpace::Global || form.space == StateSpace::Generic;
    if (exchanges || !addressed) continue;
    const bool counts = is_addition_of_one(form, *value, constants);
    if (shared && !used && counts)
      out[i].form = AtomicForm::CountLanes;
    else if (uniformity.uniform(*address))
      out[i].form = combined_form(form, counts || form.has(Modifier::Add), used, uniformity.uniform(*value));
  }
  return out;
}

}  // namespace warplens::ptx
