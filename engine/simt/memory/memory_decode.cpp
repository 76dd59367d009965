// Address operands of loads, stores and atomics.
#include <bit>

#include "engine/simt/load/loader.h"
#include "engine/simt/memory/memory.h"

namespace warplens::simt {

using ptx::StateSpace;

bool decode_address(DecodeContext& context, const ptx::Form& form, const ptx::Operand& operand, Op& op,
                    unsigned element_bytes, unsigned elements) {
  const auto kind = trace::site_kind(form);
  if (!kind) context.fail();
  return kind && decode_address(context, form, operand, op, *kind, element_bytes, elements);
}

bool decode_address(DecodeContext& context, const ptx::Form& form, const ptx::Operand& operand, Op& op,
                    trace::SiteKind kind, unsigned element_bytes, unsigned elements) {
  const auto& loader = static_cast<const Loader&>(context);
  const unsigned bytes = element_bytes * elements;
  if (operand.kind != ptx::OperandKind::Address || element_bytes == 0 || elements > 8 ||
      !std::has_single_bit(elements) || bytes > 32) {
    context.fail();
    return false;
  }
  trace::Space space = trace::space_of(form.space);
  op.imm = static_cast<std::uint64_t>(operand.value);
  if (!operand.symbol.empty()) {
    const Loader::Symbol* symbol = loader.find_symbol(operand.symbol);
    if (symbol == nullptr || operand.reg != ptx::kNone) {
      context.fail();
      return false;
    }
    op.imm += symbol->address;
    if (symbol->in_frame) {
      // .param variables of calls lie in the frame, which is local memory; nobody counts them.
      op.flags |= memory_flags::kFrame;
      if (symbol->space == StateSpace::Param) op.flags |= memory_flags::kNoCount;
      space = trace::Space::Local;
    } else if (space == trace::Space::Generic) {
      space = trace::space_of(symbol->space);
    }
  }
  if (operand.reg != ptx::kNone) {
    ptx::Operand base;
    base.kind = ptx::OperandKind::Register;
    base.reg = operand.reg;
    op.a = context.source(base, ptx::Type::U64);
    const int width = context.width(base, ptx::Type::U64);
    if (width == 8) {
      op.flags |= memory_flags::kWideAddress;
    } else if (width != 4) {
      context.fail();
      return false;
    }
    // Parameters of a device function reached through a register are in its frame.
    if (space == trace::Space::Parameter && !loader.in_kernel()) {
      op.flags |= memory_flags::kNoCount;
      space = trace::Space::Local;
    }
  }
  op.flags |= static_cast<std::uint32_t>(space) << memory_flags::kSpaceShift;
  op.flags |= static_cast<std::uint32_t>(std::countr_zero(elements)) << memory_flags::kVectorShift;
  op.flags |= bytes << memory_flags::kBytesShift;
  op.flags |= static_cast<std::uint32_t>(kind) << memory_flags::kKindShift;
  if (form.is_strong()) op.flags |= memory_flags::kVolatile;
  if (form.has(ptx::Modifier::Cta)) op.flags |= memory_flags::kBlockScope;
  if (form.has(ptx::Modifier::Volatile)) op.flags |= memory_flags::kWeakVolatile;
  if (form.has(ptx::Modifier::Acquire) || form.has(ptx::Modifier::Release) || form.has(ptx::Modifier::AcqRel))
    op.flags |= memory_flags::kOrders;
  return context.ok();
}

}  // namespace warplens::simt
