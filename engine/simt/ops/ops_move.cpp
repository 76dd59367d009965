// mov: copies, symbols, special registers, and packing several registers into a wide one and back.
#include "engine/simt/ops/op_table.h"
#include "engine/simt/ops/wide.h"

namespace warplens::simt {
namespace {

using ptx::OperandKind;

template <bool kFull, typename T>
void copy_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  write_lanes(row<T>(warp, op.d), mask, kFull, [&](unsigned l) { return a[l]; });
}
template <typename T>
constexpr Handlers copy() {
  return {&copy_handler<true, T>, &copy_handler<false, T>};
}

void copy_predicate_handler(const Op& op, Warp& warp, LaneMask mask) {
  write_predicate(warp, op.d, read_predicate(warp, op.a), mask);
}

// d = {list[0], list[1], ...}, the first in the low bits. T is the wide register, E an element.
template <typename T, typename E>
void pack_handler(const Op& op, Warp& warp, LaneMask mask) {
  constexpr unsigned kCount = sizeof(T) / sizeof(E);
  const u32* list = warp.lists + op.list;
  const E* parts[kCount];
  for (unsigned i = 0; i < kCount; ++i) parts[i] = row<E>(warp, list[i]);
  alignas(64) T wide[kWarpSize];
  WARPLENS_FOR_LANES(l) {
    T value = 0;
    for (unsigned i = 0; i < kCount; ++i) value = static_cast<T>(value | T{parts[i][l]} << i * 8 * sizeof(E));
    wide[l] = value;
  }
  write_lanes(row<T>(warp, op.d), mask, mask == kFullMask, [&](unsigned l) { return wide[l]; });
}

template <typename T, typename E>
void unpack_handler(const Op& op, Warp& warp, LaneMask mask) {
  constexpr unsigned kCount = sizeof(T) / sizeof(E);
  const u32* list = warp.lists + op.list;
  alignas(64) T wide[kWarpSize];
  std::memcpy(wide, row<T>(warp, op.a), sizeof wide);
  for (unsigned i = 0; i < kCount; ++i)
    write_lanes(row<E>(warp, list[i]), mask, mask == kFullMask,
                [&](unsigned l) { return static_cast<E>(wide[l] >> i * 8 * sizeof(E)); });
}

// A .b128 register lies in memory as its halves do, one lane after the other.
void pack_wide(const Op& op, Warp& warp, LaneMask mask) {
  const u64 *const low = row<u64>(warp, warp.lists[op.list]), *const high =
                                                                  row<u64>(warp, warp.lists[op.list + 1]);
  write_lanes(row<u128>(warp, op.d), mask, mask == kFullMask, [&](unsigned l) {
    return u128{low[l], high[l]};
  });
}
void unpack_wide(const Op& op, Warp& warp, LaneMask mask) {
  const u128* const a = row<u128>(warp, op.a);
  const bool full = mask == kFullMask;
  write_lanes(row<u64>(warp, warp.lists[op.list]), mask, full, [&](unsigned l) { return a[l].low; });
  write_lanes(row<u64>(warp, warp.lists[op.list + 1]), mask, full, [&](unsigned l) { return a[l].high; });
}

struct VectorMove {
  int wide, element;
  Handler pack, unpack;
};
constexpr VectorMove kVectorMoves[] = {
    {16, 8, &pack_wide, &unpack_wide},
    {8, 4, &pack_handler<u64, u32>, &unpack_handler<u64, u32>},
    {8, 2, &pack_handler<u64, u16>, &unpack_handler<u64, u16>},
    {8, 1, &pack_handler<u64, u8>, &unpack_handler<u64, u8>},
    {4, 2, &pack_handler<u32, u16>, &unpack_handler<u32, u16>},
    {4, 1, &pack_handler<u32, u8>, &unpack_handler<u32, u8>},
    {2, 1, &pack_handler<u16, u8>, &unpack_handler<u16, u8>},
};

Type bits_type(int bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

bool decode_vector(DecodeContext& context, Type type, const ptx::Instruction& in, bool packing, Op& op) {
  const ptx::Operand& vector = in.operands[packing ? 1 : 0];
  const auto count = static_cast<int>(vector.elements.size());
  const int bytes = ptx::size_of(type);
  if (count < 2 || count > 8 || bytes % count != 0) return false;
  const Type element = bits_type(bytes / count);
  for (const VectorMove& move : kVectorMoves) {
    if (move.wide != bytes || move.element * count != bytes) continue;
    u32 rows[8] = {};
    for (int i = 0; i < count; ++i) {
      const ptx::Operand& operand = vector.elements[static_cast<std::size_t>(i)];
      rows[i] = packing ? source_row(context, operand, element) : destination_row(context, operand, element);
    }
    if (!context.ok()) return false;
    op.list = context.list({rows, static_cast<std::size_t>(count)});
    if (packing)
      op.d = destination_row(context, in.operands[0], type);
    else
      op.a = source_row(context, in.operands[1], type);
    op.set(both(packing ? move.pack : move.unpack));
    return context.ok();
  }
  return false;
}

bool is_timer(ptx::SpecialRegister special) {
  using S = ptx::SpecialRegister;
  return special == S::Clock || special == S::ClockHi || special == S::Clock64 || special == S::GlobalTimer ||
         special == S::GlobalTimerLo || special == S::GlobalTimerHi;
}

bool decode_move(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (form.modifiers.size() != 1 || form.types.size() != 1 || !context.count(in, 2, 2)) return false;
  const Type type = form.type();
  const ptx::Operand &to = in.operands[0], &from = in.operands[1];
  if (type == Type::Pred) {
    op.d = context.predicate_destination(to);
    op.a = context.predicate(from);
    op.set(both(&copy_predicate_handler));
    return context.ok();
  }
  if (from.kind == OperandKind::Vector) return decode_vector(context, type, in, true, op);
  if (to.kind == OperandKind::Vector) return decode_vector(context, type, in, false, op);
  // Reading a timer is no copy: whoever keeps the time decodes it.
  if (from.kind == OperandKind::Special && is_timer(from.special)) return false;
  op.d = destination_row(context, to, type);
  op.a = source_row(context, from, type);
  switch (ptx::size_of(type)) {
    case 1:
      op.set(copy<u8>());
      break;
    case 2:
      op.set(copy<u16>());
      break;
    case 4:
      op.set(copy<u32>());
      break;
    case 8:
      op.set(copy<u64>());
      break;
    case 16:
      op.set(copy<u128>());
      break;
    default:
      return false;
  }
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Mov, decode_move}};

}  // namespace

std::span<const OpcodeEntry> move_entries() {
  return kEntries;
}

}  // namespace warplens::simt
