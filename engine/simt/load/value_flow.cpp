#include "engine/simt/load/value_flow.h"

#include <algorithm>
#include <set>
#include <vector>

namespace warplens::simt {

namespace {

bool names(const ptx::Operand& operand, const std::set<ptx::RegisterId>& registers) {
  if (operand.kind == ptx::OperandKind::Vector)
    return std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const ptx::Operand& element) { return names(element, registers); });
  return operand.kind == ptx::OperandKind::Register && registers.contains(operand.reg);
}

using Registers = std::set<ptx::RegisterId>;

// The registers that get a value from this one by instructions that `carries`, wherever in the function that
// is.
template <typename Carries>
Registers reached_from(const ptx::Module& module, const ptx::Function& function, ptx::RegisterId from,
                       Carries carries) {
  Registers reached{from};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const ptx::Instruction& in : function.instructions) {
      if (in.operands.size() < 2 || in.operands[0].kind != ptx::OperandKind::Register) continue;
      const bool read = std::any_of(in.operands.begin() + 1, in.operands.end(),
                                    [&](const ptx::Operand& o) { return names(o, reached); });
      if (read && carries(module.form(in))) reached.insert(in.operands[0].reg);
    }
  }
  return reached;
}

}  // namespace

bool is_compared_by_swap(const ptx::Module& module, const ptx::Function& function, std::uint32_t load) {
  const ptx::Instruction& first = function.instructions[load];
  const ptx::Form& loads = module.form(first);
  if (loads.opcode != ptx::Opcode::Ld || loads.vector_width != 1 || first.operands.size() < 2 ||
      first.operands[0].kind != ptx::OperandKind::Register)
    return false;
  const Registers copies = reached_from(module, function, first.operands[0].reg, [](const ptx::Form& form) {
    return form.effects().meaning == ptx::Meaning::Move || form.effects().meaning == ptx::Meaning::Convert;
  });
  for (const ptx::Instruction& in : function.instructions) {
    const ptx::Form& form = module.form(in);
    if (form.opcode == ptx::Opcode::Atom && form.has(ptx::Modifier::Cas) && in.operands.size() >= 3 &&
        form.space == loads.space && ptx::size_of(form.type()) == ptx::size_of(loads.type()) &&
        names(in.operands[2], copies))
      return true;
  }
  return false;
}

bool decides_something(const ptx::Module& module, const ptx::Function& function, std::uint32_t atomic) {
  const ptx::Instruction& first = function.instructions[atomic];
  if (first.operands.size() < 2 || first.operands[0].kind != ptx::OperandKind::Register ||
      module.form(first).opcode != ptx::Opcode::Atom)
    return first.operands.size() > 1 && first.operands[0].kind == ptx::OperandKind::Vector;
  const Registers values = reached_from(module, function, first.operands[0].reg, [](const ptx::Form& form) {
    return form.opcode != ptx::Opcode::Ld && form.opcode != ptx::Opcode::Atom;
  });
  return std::any_of(
      function.instructions.begin(), function.instructions.end(), [&](const ptx::Instruction& in) {
        return module.form(in).effects().is(ptx::kDecides) &&
               std::any_of(in.operands.begin(), in.operands.end(),
                           [&](const ptx::Operand& o) { return names(o, values) && &in != &first; });
      });
}

}  // namespace warplens::simt
