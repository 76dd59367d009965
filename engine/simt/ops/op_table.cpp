#include "engine/simt/ops/op_table.h"

#include <algorithm>

namespace warplens::simt {

std::vector<ptx::Opcode> FormTable::opcodes() const {
  std::vector<ptx::Opcode> all;
  for (const auto& [text, form] : forms_) all.push_back(ptx::make_form(text).opcode);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const FormTable& listed_forms() {
  static const FormTable table = [] {
    FormTable forms;
    add_integer_forms(forms);
    add_multiply_forms(forms);
    add_carry_forms(forms);
    add_bit_forms(forms);
    add_select_forms(forms);
    add_float_forms(forms);
    add_directed_forms(forms);
    add_math_forms(forms);
    add_half_forms(forms);
    add_video_forms(forms);
    return forms;
  }();
  return table;
}

std::uint32_t destination_row(DecodeContext& context, const ptx::Operand& operand, Type type) {
  if (type == Type::Pred) return context.predicate_destination(operand);
  const bool fits = operand.kind == ptx::OperandKind::Sink ||
                    (operand.kind == ptx::OperandKind::Register && !operand.negated &&
                     context.width(operand, type) == ptx::size_of(type));
  if (!fits) context.fail();
  return context.destination(operand);
}

std::uint32_t source_row(DecodeContext& context, const ptx::Operand& operand, Type type) {
  if (type == Type::Pred) return context.predicate(operand);
  if (operand.kind == ptx::OperandKind::Register && context.width(operand, type) != ptx::size_of(type))
    context.fail();
  return context.source(operand, type);
}

bool decode_listed(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const ListedForm* listed = listed_forms().find(form.text);
  if (!listed) return false;
  const std::size_t operands = listed->sources.size() + 1;
  if (!context.count(in, operands, operands)) return false;
  op.d = destination_row(context, in.operands[0], listed->destination);
  std::uint32_t* const rows[] = {&op.a, &op.b, &op.c, &op.e};
  for (std::size_t i = 0; i < listed->sources.size(); ++i)
    *rows[i] = source_row(context, in.operands[i + 1], listed->sources[i]);
  op.imm = listed->imm;
  op.set(listed->handlers);
  return context.ok();
}

}  // namespace warplens::simt
