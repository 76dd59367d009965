// cvt of pairs: two floats into a packed 16-bit or 8-bit pair and back, and integers into packed bytes.
#include <algorithm>
#include <limits>
#include <optional>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/numeric.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

using ptx::Modifier;

template <auto Narrow>
constexpr auto kPair =
    [](float a, float b) { return static_cast<u32>(Narrow(a)) << 16 | static_cast<u32>(Narrow(b)); };
constexpr auto kHalves = [](float x) { return float_to_half(x); };
constexpr auto kBfloats = [](float x) { return float_to_bfloat(x); };

std::optional<FloatFormat> element_of(Modifier pair) {
  if (pair == Modifier::F16x2) return kHalf;
  if (pair == Modifier::Bf16x2) return kBfloat;
  if (pair == Modifier::E4m3x2) return kE4m3;
  if (pair == Modifier::E5m2x2) return kE5m2;
  return std::nullopt;
}

// imm, from the low byte up: indexes of the formats below (to, from), rounding, flags.
constexpr FloatFormat kFormats[] = {kHalf, kBfloat, kE4m3, kE5m2, kSingle};
constexpr u64 kSaturates = 1, kRelu = 2;

u64 index_of(FloatFormat format) {
  for (u64 i = 0; i < std::size(kFormats); ++i)
    if (kFormats[i].mantissa_bits == format.mantissa_bits) return i;
  return 0;
}

u32 convert_element(u32 bits, u64 imm) {
  const FloatFormat to = kFormats[imm & 255], from = kFormats[imm >> 8 & 255];
  Unpacked value = unpack(bits, from);
  if ((imm >> 24 & kRelu) && value.negative && value.kind != Unpacked::Kind::NotANumber) value = {};
  const auto rounding = static_cast<Rounding>(imm >> 16 & 255);
  return static_cast<u32>(pack(value, to, rounding, (imm >> 24 & kSaturates) != 0));
}

constexpr int element_bits(u64 index) {
  return kFormats[index].bits();
}

// Two single floats a (upper) and b (lower).
template <typename D>
void from_singles_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u32* a = row<u32>(warp, op.a);
  const u32* b = row<u32>(warp, op.b);
  D* d = row<D>(warp, op.d);
  alignas(64) D result[kWarpSize] = {};
  const int shift = element_bits(op.imm & 255);
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
    if (lane_in(mask, l))
      result[l] = static_cast<D>(convert_element(a[l], op.imm) << shift | convert_element(b[l], op.imm));
  write_lanes(d, mask, false, [&](unsigned l) { return result[l]; });
}

// A pair of one format to a pair of another.
template <typename D, typename S>
void from_pair_handler(const Op& op, Warp& warp, LaneMask mask) {
  const S* a = row<S>(warp, op.a);
  alignas(64) D result[kWarpSize] = {};
  const int to = element_bits(op.imm & 255), from = element_bits(op.imm >> 8 & 255);
  const u32 low = (u32{1} << from) - 1;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    const u32 upper = convert_element(u32{a[l]} >> from, op.imm), lower = convert_element(a[l] & low, op.imm);
    result[l] = static_cast<D>(upper << to | lower);
  }
  write_lanes(row<D>(warp, op.d), mask, false, [&](unsigned l) { return result[l]; });
}

// cvt.pack.sat: a above b, and for bytes c's low half above both.
template <typename T>
constexpr auto kPackIntegers = [](s32 a, s32 b) {
  constexpr s32 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  using U = std::make_unsigned_t<T>;
  const u32 upper = static_cast<U>(std::clamp(a, low, high)),
            lower = static_cast<U>(std::clamp(b, low, high));
  return upper << 8 * sizeof(T) | lower;
};
template <typename T>
constexpr auto kPackBytes = [](s32 a, s32 b, u32 c) { return c << 16 | kPackIntegers<T>(a, b); };

bool decode_integers(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool bytes = form.types.size() == 3;
  if (form.types.empty()) return false;
  const std::size_t operands = bytes ? 4 : 3;
  if (!context.count(in, operands, operands)) return false;
  op.d = destination_row(context, in.operands[0], Type::B32);
  op.a = source_row(context, in.operands[1], Type::S32);
  op.b = source_row(context, in.operands[2], Type::S32);
  if (bytes) op.c = source_row(context, in.operands[3], Type::B32);
  const std::vector sources = bytes ? std::vector{Type::S32, Type::B32} : std::vector{Type::S32};
  if (form.modifiers.size() != 2 + form.types.size() || !form.has(Modifier::Sat) ||
      !std::equal(form.types.begin() + 1, form.types.end(), sources.begin(), sources.end()))
    return false;
  switch (form.type()) {
    case Type::U16:
      op.set(binary<u32, s32, s32, kPackIntegers<u16>>());
      return !bytes && context.ok();
    case Type::S16:
      op.set(binary<u32, s32, s32, kPackIntegers<s16>>());
      return !bytes && context.ok();
    case Type::U8:
      op.set(ternary<u32, s32, s32, u32, kPackBytes<u8>>());
      return bytes && context.ok();
    case Type::S8:
      op.set(ternary<u32, s32, s32, u32, kPackBytes<s8>>());
      return bytes && context.ok();
    default:
      return false;
  }
}

struct PairForm {
  std::optional<FloatFormat> to, from;
  Rounding rounding = Rounding::Nearest;
  u64 flags = 0;
  bool ok = false;
};

PairForm pair_form(const ptx::Form& form) {
  PairForm pair;
  const auto& modifiers = form.modifiers;
  if (modifiers.size() < 3) return pair;
  pair.to = element_of(modifiers[modifiers.size() - 2]);
  const Modifier from = modifiers.back();
  pair.from = from == Modifier::F32 ? std::optional(kSingle) : element_of(from);
  if (!pair.to || !pair.from) return pair;
  for (std::size_t i = 0; i + 2 < modifiers.size(); ++i) {
    if (modifiers[i] == Modifier::Rz)
      pair.rounding = Rounding::Zero;
    else if (modifiers[i] == Modifier::Satfinite)
      pair.flags |= kSaturates;
    else if (modifiers[i] == Modifier::Relu)
      pair.flags |= kRelu;
    else if (modifiers[i] != Modifier::Rn)
      return pair;
  }
  pair.ok = true;
  return pair;
}

}  // namespace

bool decode_packed_conversion(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in,
                              Op& op) {
  if (!form.modifiers.empty() && form.modifiers[0] == Modifier::Pack)
    return decode_integers(context, form, in, op);
  const PairForm pair = pair_form(form);
  if (!pair.ok) return false;
  const bool singles = pair.from->bits() == 32, narrow = pair.to->bits() == 8;
  const std::size_t operands = singles ? 3 : 2;
  if (!context.count(in, operands, operands)) return false;
  op.imm = index_of(*pair.to) | index_of(*pair.from) << 8 | static_cast<u64>(pair.rounding) << 16 |
           pair.flags << 24;
  op.d = destination_row(context, in.operands[0], narrow ? Type::B16 : Type::B32);
  if (!singles) {
    const bool from_bytes = pair.from->bits() == 8;
    if (from_bytes == narrow) return false;
    op.a = source_row(context, in.operands[1], from_bytes ? Type::B16 : Type::B32);
    op.set(both(narrow ? &from_pair_handler<u16, u32> : &from_pair_handler<u32, u16>));
    return context.ok();
  }
  op.a = source_row(context, in.operands[1], Type::F32);
  op.b = source_row(context, in.operands[2], Type::F32);
  const bool plain = form.modifiers.size() == 3 && pair.rounding == Rounding::Nearest;
  if (plain && form.type() == Type::F16x2)
    op.set(binary<u32, float, float, kPair<kHalves>>());
  else if (plain && form.type() == Type::BF16x2)
    op.set(binary<u32, float, float, kPair<kBfloats>>());
  else
    op.set(both(narrow ? &from_singles_handler<u16> : &from_singles_handler<u32>));
  return context.ok();
}

}  // namespace warplens::simt
