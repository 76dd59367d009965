// Sums that carry out a product with one rounding (ptx/rules/contracted_products.h).
#include "engine/simt/load/loader.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {

// The form of the fused operation: "sub.ftz.f32" rounds as "fma.rn.ftz.f32" does. A difference has one of its
// terms negated first, by an operation of its own.
bool Loader::decode_contracted(std::uint32_t sum, Op& negation, Op& op) {
  const std::uint32_t product = contracted_[sum];
  const ptx::Instruction &to = function_->instructions[sum], &from = function_->instructions[product];
  const ptx::Form& form = module_.form(to);
  const ptx::Type type = form.type();
  constexpr std::size_t kOpcode = 3;  // letters of add and sub
  const ListedForm* fused = listed_forms().find("fma.rn" + form.text.substr(kOpcode));
  const ListedForm* negates = listed_forms().find("neg." + std::string(ptx::name(type)));
  if (fused == nullptr || negates == nullptr) return false;
  reset();
  const std::size_t at = to.operands[1].reg == from.operands[0].reg ? 1 : 2;  // of the product in the sum
  op = negation = Op{};
  op.instruction = negation.instruction = instruction_;
  op.d = destination_row(*this, to.operands[0], type);
  op.a = source_row(*this, from.operands[1], type);
  op.b = source_row(*this, from.operands[2], type);
  op.c = source_row(*this, to.operands[3 - at], type);
  op.imm = fused->imm;
  op.set(fused->handlers);
  if (form.opcode == ptx::Opcode::Sub) {
    // The second term: the addend, or a factor of the product.
    std::uint32_t& row = at == 1 ? op.c : op.a;
    if (negated_row_ == kNoRow) negated_row_ = new_rows(2);
    negation.d = negated_row_;
    negation.a = row;
    negation.imm = negates->imm;
    negation.set(negates->handlers);
    row = negated_row_;
  }
  return ok();
}

}  // namespace warplens::simt
