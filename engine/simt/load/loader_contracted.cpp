// Sums that carry out a product with one rounding (ptx/rules/contracted_products.h).
#include "engine/simt/load/loader.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {

void Loader::load_contracted(std::uint32_t sum) {
  const ptx::Instruction& in = function_->instructions[sum];
  std::vector<Op> ops;
  if (!decode_contracted(sum, ops)) {
    unsupported(module_.form(in));
    return;
  }
  for (Op& op : ops) {
    if (in_setup_[sum] == 2) {
      program_->setup.push_back(op);
      continue;
    }
    op.guard = guard_of(in);
    add_op(op);
  }
}

// `row` is the negated row from here on.
Op Loader::negation_of(std::uint32_t& row, const ListedForm& negates, int which) {
  if (negated_rows_[which] == kNoRow) negated_rows_[which] = new_rows(2);
  Op op;
  op.instruction = instruction_;
  op.d = negated_rows_[which];
  op.a = row;
  op.imm = negates.imm;
  op.set(negates.handlers);
  row = op.d;
  return op;
}

// The form of the fused operation: "sub.ftz.f32" rounds as "fma.rn.ftz.f32" does. A term whose sign is
// another is negated first, by an operation of its own.
bool Loader::decode_contracted(std::uint32_t sum, std::vector<Op>& ops) {
  const ptx::Contracted& how = contracted_[sum];
  const ptx::Instruction &to = function_->instructions[sum], &from = function_->instructions[how.product];
  const ptx::Form& form = module_.form(to);
  const ptx::Type type = form.type();
  constexpr std::size_t kOpcode = 3;  // letters of add and sub
  const ListedForm* fused = listed_forms().find("fma.rn" + form.text.substr(kOpcode));
  const ListedForm* negates = listed_forms().find("neg." + std::string(ptx::name(type)));
  if (fused == nullptr || negates == nullptr) return false;
  reset();
  Op op;
  op.instruction = instruction_;
  op.d = destination_row(*this, to.operands[0], type);
  op.a = source_row(*this, from.operands[1], type);
  op.b = source_row(*this, from.operands[2], type);
  op.c = source_row(*this, to.operands[3 - how.operand], type);
  op.imm = fused->imm;
  op.set(fused->handlers);
  const bool subtracts = form.opcode == ptx::Opcode::Sub;
  if (how.negated != (subtracts && how.operand == 2)) ops.push_back(negation_of(op.a, *negates, 0));
  if (subtracts && how.operand == 1) ops.push_back(negation_of(op.c, *negates, 1));
  ops.push_back(op);
  return ok();
}

}  // namespace warplens::simt
