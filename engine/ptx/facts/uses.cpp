
#include "engine/base/work_limit.h"
#include "engine/ptx/facts/liveness.h"

namespace warplens::ptx {
namespace {

bool has_destination(const Form& form) {
  const Written written = form.effects().written;
  return written == Written::IfReduces ? form.has(Modifier::Red) : written != Written::None;
}

void add_reads(const Operand& operand, std::vector<RegisterId>& out) {
  if (operand.reg != kNone) out.push_back(operand.reg);
  for (const Operand& element : operand.elements) add_reads(element, out);
}

void add_destination(const Operand& operand, bool also_read, Uses& uses) {
  if (operand.kind == OperandKind::Register) {
    uses.writes.push_back(operand.reg);
    // %r1.b0 writes a part and keeps the rest.
    if (also_read || !operand.symbol.empty()) uses.reads.push_back(operand.reg);
  } else if (operand.kind == OperandKind::Vector) {
    for (const Operand& element : operand.elements) add_destination(element, also_read, uses);
  } else {
    add_reads(operand, uses.reads);
  }
}

}  // namespace

Uses uses_of(const Module& module, const Function&, const Instruction& instruction) {
  work_step();
  Uses uses;
  const Form& form = module.form(instruction);
  if (instruction.guard.predicate != kNone) uses.reads.push_back(instruction.guard.predicate);
  std::size_t i = 0;
  if (!instruction.operands.empty() && has_destination(form)) {
    const bool accumulates = form.effects().written == Written::AlsoRead;
    add_destination(instruction.operands[i++], accumulates, uses);
  }
  for (; i < instruction.operands.size(); ++i) add_reads(instruction.operands[i], uses.reads);
  for (const Operand& operand : instruction.call_arguments) add_reads(operand, uses.reads);
  for (const Operand& operand : instruction.call_returns) add_destination(operand, false, uses);
  return uses;
}

}  // namespace warplens::ptx
