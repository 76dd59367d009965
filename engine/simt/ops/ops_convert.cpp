// cvt between integers and floats of every width. Frequent forms have loops that vectorise; every other form
// is executed lane by lane through numeric.h.
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/numeric.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

using ptx::Modifier;

// What a form asks for.
struct Conversion {
  Type to = Type::None, from = Type::None;
  int to_bytes = 0, from_bytes = 0;  // of the registers, which may be wider than the types
  std::optional<Rounding> rounding;
  bool to_integral = false;  // .rni .rzi .rmi .rpi
  bool flushes = false, saturates = false, saturates_finite = false, relu = false;
};

// .rn, or .rni for the nearest integer.
bool rounds(Modifier modifier, Conversion& conversion) {
  struct Row {
    Modifier plain, to_integral;
    Rounding rounding;
  };
  constexpr Row kRows[] = {{Modifier::Rn, Modifier::Rni, Rounding::Nearest},
                           {Modifier::Rz, Modifier::Rzi, Rounding::Zero},
                           {Modifier::Rm, Modifier::Rmi, Rounding::Down},
                           {Modifier::Rp, Modifier::Rpi, Rounding::Up},
                           {Modifier::Rna, Modifier::Rna, Rounding::NearestAway}};
  for (const Row& row : kRows) {
    if (modifier != row.plain && modifier != row.to_integral) continue;
    conversion.rounding = row.rounding;
    conversion.to_integral = modifier != row.plain;
    return true;
  }
  return false;
}

std::optional<Conversion> conversion_of(const ptx::Form& form) {
  if (form.types.size() != 2) return std::nullopt;
  Conversion conversion;
  conversion.to = form.types[0];
  conversion.from = form.types[1];
  for (std::size_t i = 0; i + 2 < form.modifiers.size(); ++i) {
    switch (form.modifiers[i]) {
      case Modifier::Ftz:
        conversion.flushes = true;
        break;
      case Modifier::Sat:
        conversion.saturates = true;
        break;
      case Modifier::Satfinite:
        conversion.saturates_finite = true;
        break;
      case Modifier::Relu:
        conversion.relu = true;
        break;
      default:
        if (!rounds(form.modifiers[i], conversion)) return std::nullopt;
    }
  }
  return conversion;
}

std::optional<FloatFormat> format_of(Type type) {
  switch (type) {
    case Type::F16:
      return kHalf;
    case Type::BF16:
      return kBfloat;
    case Type::TF32:
      return kTensorFloat;
    case Type::F32:
      return kSingle;
    case Type::F64:
      return kDouble;
    default:
      return std::nullopt;
  }
}

// ---- one lane at a time

constexpr u64 ones(int bits) {
  return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
}
constexpr u64 extend(u64 value, int bits, bool is_signed) {
  const u64 sign = is_signed ? u64{1} << (bits - 1) : 0;
  return ((value & ones(bits)) ^ sign) - sign;
}

bool is_number_type(Type type) {
  return ptx::is_integer(type) && type != Type::U16x2 && type != Type::S16x2;
}

Unpacked unpack_source(u64 bits, const Conversion& conversion) {
  if (const auto format = format_of(conversion.from)) {
    Unpacked value = unpack(conversion.from == Type::TF32 ? bits >> 13 : bits, *format);
    const bool subnormal = value.kind == Unpacked::Kind::Finite && value.exponent < -126;
    if (conversion.flushes && conversion.from == Type::F32 && subnormal) value.kind = Unpacked::Kind::Zero;
    return value;
  }
  const int width = 8 * ptx::size_of(conversion.from);
  const bool is_signed = ptx::is_signed(conversion.from);
  const u64 integer = extend(bits, width, is_signed);
  return is_signed ? unpack_signed(static_cast<s64>(integer)) : unpack_unsigned(integer);
}

// A float rounded to an integral value.
Unpacked integral(const Unpacked& value, Rounding rounding) {
  if (value.kind != Unpacked::Kind::Finite || value.exponent >= 63) return value;
  Unpacked magnitude = value;
  const u64 integer = to_integer(magnitude, 64, true, rounding, 0);
  Unpacked result = unpack_signed(static_cast<s64>(integer));
  result.negative = value.negative;
  return result;
}

u64 pack_float(Unpacked value, const Conversion& conversion) {
  using Kind = Unpacked::Kind;
  const FloatFormat format = *format_of(conversion.to);
  const Rounding rounding = conversion.rounding.value_or(Rounding::Nearest);
  if (conversion.to_integral) value = integral(value, rounding);
  if (conversion.relu && value.negative && value.kind != Kind::NotANumber) value = {};
  if (conversion.saturates) {
    if (value.kind == Kind::NotANumber || value.negative) value = {};
    if (value.kind == Kind::Infinite || (value.kind == Kind::Finite && value.exponent >= 0))
      value = unpack_unsigned(1);
  }
  u64 bits = pack(value, format, rounding, conversion.saturates_finite);
  const u64 exponent_field = ones(format.exponent_bits) << format.mantissa_bits;
  const bool flushes = conversion.flushes && conversion.to == Type::F32;
  if (flushes && (bits & exponent_field) == 0) bits &= u64{1} << (format.bits() - 1);
  return conversion.to == Type::TF32 ? bits << 13 : bits;
}

u64 pack_integer(const Unpacked& value, const Conversion& conversion) {
  const int width = 8 * ptx::size_of(conversion.to);
  const bool is_signed = ptx::is_signed(conversion.to);
  const bool from_float = format_of(conversion.from).has_value();
  // NaN becomes zero, except where a 64-bit type takes part.
  const bool wide = conversion.from == Type::F64 || width == 64;
  const u64 not_a_number = wide ? u64{1} << (width - 1) : 0;
  if (from_float || conversion.saturates)
    return to_integer(value, width, is_signed, conversion.rounding.value_or(Rounding::Zero), not_a_number);
  return to_integer(value, 64, value.negative, Rounding::Zero, 0) & ones(width);
}

// NaN of double precision keeps its sign and the top of its payload, and tf32 keeps any NaN.
u64 kept_nan(u64 bits, const Conversion& conversion) {
  if (conversion.to == Type::TF32) return bits & 0xffffe000u;
  const FloatFormat format = *format_of(conversion.to);
  const u64 sign = bits >> 63 << (format.bits() - 1);
  const u64 quiet = ones(format.exponent_bits + 1) << (format.mantissa_bits - 1);
  return sign | quiet | (bits & ones(52)) >> (52 - format.mantissa_bits);
}

u64 convert(u64 bits, const Conversion& conversion) {
  const Unpacked value = unpack_source(bits, conversion);
  const bool keeps_nan =
      conversion.to == Type::TF32 || (conversion.from == Type::F64 && conversion.to != Type::F64);
  if (value.kind == Unpacked::Kind::NotANumber && keeps_nan && format_of(conversion.to) &&
      !conversion.saturates && !conversion.relu)
    return kept_nan(bits, conversion);
  if (format_of(conversion.to)) return pack_float(value, conversion);
  const int width = 8 * ptx::size_of(conversion.to);
  return extend(pack_integer(value, conversion), width, ptx::is_signed(conversion.to));
}

// Conversions live as long as the program; equal ones are shared.
const Conversion* kept(const ptx::Form& form, const Conversion& conversion) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::unique_ptr<const Conversion>> all;
  const std::string key =
      form.text + "/" + std::to_string(conversion.to_bytes) + "/" + std::to_string(conversion.from_bytes);
  const std::lock_guard lock(mutex);
  auto& entry = all[key];
  if (!entry) entry = std::make_unique<const Conversion>(conversion);
  return entry.get();
}

u64 read_lane(const Warp& warp, u32 offset, int bytes, unsigned l) {
  u64 value = 0;
  std::memcpy(&value, warp.registers + offset + l * static_cast<unsigned>(bytes),
              static_cast<std::size_t>(bytes));
  return value;
}
void write_lane(Warp& warp, u32 offset, int bytes, unsigned l, u64 value) {
  std::memcpy(warp.registers + offset + l * static_cast<unsigned>(bytes), &value,
              static_cast<std::size_t>(bytes));
}

void lane_handler(const Op& op, Warp& warp, LaneMask mask) {
  const Conversion& conversion = *reinterpret_cast<const Conversion*>(op.imm);
  // Sources first: a destination of another width may overlap them.
  u64 result[kWarpSize] = {};
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
    if (lane_in(mask, l)) result[l] = convert(read_lane(warp, op.a, conversion.from_bytes, l), conversion);
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
    if (lane_in(mask, l)) write_lane(warp, op.d, conversion.to_bytes, l, result[l]);
}

// ---- integers to integers

// Two extensions: from the source's type, then from the destination's into its register. imm holds, from the
// low byte up: source bits, source sign, destination bits, destination sign.
template <bool kFull, typename D, typename S>
void extend_handler(const Op& op, Warp& warp, LaneMask mask) {
  using W = std::conditional_t<(sizeof(D) > sizeof(S)), D, S>;
  const auto field = [&](int i) { return static_cast<int>(op.imm >> 8 * i & 255); };
  const W first = static_cast<W>(ones(field(0))), second = static_cast<W>(ones(field(2)));
  const W first_sign = static_cast<W>(field(1) ? u64{1} << (field(0) - 1) : 0);
  const W second_sign = static_cast<W>(field(3) ? u64{1} << (field(2) - 1) : 0);
  Lanes<D, S> lanes;
  const S* const a = lanes.get(warp, op.a, op.d);
  write_lanes(row<D>(warp, op.d), mask, kFull, [=](unsigned l) {
    const W once = static_cast<W>(((W{a[l]} & first) ^ first_sign) - first_sign);
    return static_cast<D>(((once & second) ^ second_sign) - second_sign);
  });
}

template <typename D, typename S>
constexpr Handlers extension() {
  return {&extend_handler<true, D, S>, &extend_handler<false, D, S>};
}

Handlers extension_for(int to_bytes, int from_bytes) {
  static constexpr Handlers all[3][3] = {
      {extension<u16, u16>(), extension<u16, u32>(), extension<u16, u64>()},
      {extension<u32, u16>(), extension<u32, u32>(), extension<u32, u64>()},
      {extension<u64, u16>(), extension<u64, u32>(), extension<u64, u64>()}};
  const auto index = [](int bytes) { return bytes == 2 ? 0 : bytes == 4 ? 1 : 2; };
  return all[index(to_bytes)][index(from_bytes)];
}

// ---- the frequent forms

constexpr auto kCast = [](auto a) { return a; };  // the handler casts to the destination's type
constexpr auto kToSingle = [](auto a) { return static_cast<float>(a); };
constexpr auto kToDouble = [](auto a) { return static_cast<double>(a); };
// From double precision NaN keeps its sign and what fits of its payload.
constexpr auto kNarrow = [](double a) { return static_cast<float>(a); };
constexpr auto kNarrowFlushed = [](double a) { return flush(static_cast<float>(a)); };
constexpr auto kWiden = [](float a) {
  return a == a ? static_cast<double>(a) : std::bit_cast<double>(u64{0x7ff8000000000000});
};
constexpr auto kSaturated = [](float a) { return saturate(a); };
constexpr auto kSaturatedFlushed = [](float a) { return saturate(flush(a)); };
constexpr auto kFlushed = [](float a) { return canonical(flush(a)); };
constexpr auto kToHalf = [](float a) { return float_to_half(a); };
constexpr auto kFromHalf = [](u16 a) { return canonical(half_to_float(a)); };
constexpr auto kToBfloat = [](float a) { return float_to_bfloat(a); };
constexpr auto kFromBfloat = [](u16 a) { return bfloat_to_float(a); };  // NaN as it is
// Half of the last kept bit is added, whose carry is the rounding, to infinity as well; NaN is only cut.
constexpr auto kToTensorFloat = [](float a) {
  const u32 bits = as_bits(a);
  return (a == a ? bits + 0x1000u : bits) & 0xffffe000u;
};
// Every integer below the largest half is exact in float, so that one rounding remains.
constexpr auto kIntegerToHalf = [](auto a) { return float_to_half(static_cast<float>(a)); };

constexpr auto kRound = [](auto a) { return std::rint(a); };
constexpr auto kTruncate = [](auto a) { return std::trunc(a); };
constexpr auto kFloor = [](auto a) { return std::floor(a); };
constexpr auto kCeiling = [](auto a) { return std::ceil(a); };

// Clamped to the destination's range; then adding 1.5 * 2^52 leaves the integer in the low 32 bits, which
// vectorises where a cast from double to unsigned does not.
template <typename D, typename S, auto Round>
constexpr auto kToInteger = [](S a) {
  constexpr double low = std::is_signed_v<D> ? -0x1p31 : 0.0,
                   high = std::is_signed_v<D> ? 0x1p31 - 1 : 0x1p32 - 1;
  const double x = Round(static_cast<double>(a));
  const double above = x > low ? x : low;
  const double bounded = above < high ? above : high;
  const u32 bits = static_cast<u32>(std::bit_cast<u64>(bounded + 0x1.8p52));
  return static_cast<D>(x == x ? bits : sizeof(S) == 8 ? 0x80000000u : 0u);
};
// 64-bit results have no vector instruction; the cast is exact inside the range.
template <typename D, typename S, auto Round>
constexpr auto kToLong = [](S a) {
  constexpr double high = std::is_signed_v<D> ? 0x1p63 : 0x1p64, low = std::is_signed_v<D> ? -0x1p63 : 0.0;
  const double x = Round(static_cast<double>(a));
  if (x != x) return static_cast<D>(u64{1} << 63);
  if (x >= high) return std::is_signed_v<D> ? static_cast<D>(~u64{0} >> 1) : static_cast<D>(~u64{0});
  return x <= low ? static_cast<D>(std::is_signed_v<D> ? u64{1} << 63 : 0) : static_cast<D>(x);
};
template <auto F>
constexpr auto kOnFlushed = [](float a) { return F(flush(a)); };
template <auto F, bool kFlush, bool kSaturate>
constexpr auto kIntegral = [](float a) {
  const float x = F(kFlush ? flush(a) : a);
  return kSaturate ? saturate(x) : canonical(x);
};

template <auto Round>
void add_roundings(FormTable& table, const std::string& rounding) {
  const std::string stem = "cvt." + rounding;
  add_unary<s32, float, kToInteger<s32, float, Round>>(table, stem + ".s32.f32");
  add_unary<u32, float, kToInteger<u32, float, Round>>(table, stem + ".u32.f32");
  add_unary<s32, float, kOnFlushed<kToInteger<s32, float, Round>>>(table, stem + ".ftz.s32.f32");
  add_unary<u32, float, kOnFlushed<kToInteger<u32, float, Round>>>(table, stem + ".ftz.u32.f32");
  add_unary<s32, double, kToInteger<s32, double, Round>>(table, stem + ".s32.f64");
  add_unary<u32, double, kToInteger<u32, double, Round>>(table, stem + ".u32.f64");
  add_unary<s64, float, kToLong<s64, float, Round>>(table, stem + ".s64.f32");
  add_unary<u64, float, kToLong<u64, float, Round>>(table, stem + ".u64.f32");
  add_unary<s64, double, kToLong<s64, double, Round>>(table, stem + ".s64.f64");
  add_unary<u64, double, kToLong<u64, double, Round>>(table, stem + ".u64.f64");
  add_unary<float, float, kIntegral<Round, false, false>>(table, stem + ".f32.f32");
  add_unary<float, float, kIntegral<Round, true, false>>(table, stem + ".ftz.f32.f32");
  add_unary<float, float, kIntegral<Round, false, true>>(table, stem + ".sat.f32.f32");
  add_unary<float, float, kIntegral<Round, true, true>>(table, stem + ".ftz.sat.f32.f32");
  add_unary<double, double, Round>(table, stem + ".f64.f64");
}

template <typename S>
void add_from_integer(FormTable& table) {
  const std::string type = type_suffix<S>();
  add_unary<float, S, kToSingle>(table, "cvt.rn.f32" + type);
  add_unary<double, S, kToDouble>(table, "cvt.rn.f64" + type);
  if constexpr (sizeof(S) < 8) {
    table.add("cvt.rn.f16" + type, unary<u16, S, kIntegerToHalf>(), Type::F16, {TypeOf<S>::value});
  }
}

const FormTable& frequent_conversions() {
  static const FormTable all = [] {
    FormTable table;
    add_from_integer<u16>(table);
    add_from_integer<s16>(table);
    add_from_integer<u32>(table);
    add_from_integer<s32>(table);
    add_from_integer<u64>(table);
    add_from_integer<s64>(table);
    add_roundings<kRound>(table, "rni");
    add_roundings<kTruncate>(table, "rzi");
    add_roundings<kFloor>(table, "rmi");
    add_roundings<kCeiling>(table, "rpi");
    add_unary<u64, u32, kCast>(table, "cvt.u64.u32");
    add_unary<s64, s32, kCast>(table, "cvt.s64.s32");
    add_unary<u32, u64, kCast>(table, "cvt.u32.u64");
    add_unary<float, double, kNarrow>(table, "cvt.rn.f32.f64");
    add_unary<float, double, kNarrowFlushed>(table, "cvt.rn.ftz.f32.f64");
    add_unary<double, float, kWiden>(table, "cvt.f64.f32");
    add_unary<float, float, kSaturated>(table, "cvt.sat.f32.f32");
    add_unary<float, float, kSaturatedFlushed>(table, "cvt.sat.ftz.f32.f32");
    add_unary<float, float, kSaturatedFlushed>(table, "cvt.ftz.sat.f32.f32");
    add_unary<float, float, kFlushed>(table, "cvt.ftz.f32.f32");
    table.add("cvt.rn.f16.f32", unary<u16, float, kToHalf>(), Type::F16, {Type::F32});
    table.add("cvt.f32.f16", unary<float, u16, kFromHalf>(), Type::F32, {Type::F16});
    table.add("cvt.rn.bf16.f32", unary<u16, float, kToBfloat>(), Type::BF16, {Type::F32});
    table.add("cvt.rna.tf32.f32", unary<u32, float, kToTensorFloat>(), Type::TF32, {Type::F32});
    table.add("cvt.f32.bf16", unary<float, u16, kFromBfloat>(), Type::F32, {Type::BF16});
    return table;
  }();
  return all;
}

// Bytes to single precision, as image code does it; a byte sits in a register of 16 or 32 bits.
template <typename Byte, typename Register>
constexpr auto kByteToSingle = [](Register x) { return static_cast<float>(static_cast<Byte>(x)); };

Handlers byte_to_single(const Conversion& c) {
  const bool rounds = c.rounding && *c.rounding == Rounding::Nearest && !c.saturates && !c.flushes;
  if (c.to != Type::F32 || !rounds) return {};
  const bool is_unsigned = c.from == Type::U8;
  if (!is_unsigned && c.from != Type::S8) return {};
  if (c.from_bytes == 2)
    return is_unsigned ? unary<float, u16, kByteToSingle<u8, u16>>()
                       : unary<float, u16, kByteToSingle<s8, u16>>();
  if (c.from_bytes == 4)
    return is_unsigned ? unary<float, u32, kByteToSingle<u8, u32>>()
                       : unary<float, u32, kByteToSingle<s8, u32>>();
  return {};
}

// Forms PTX does not have are refused, not guessed.
bool is_valid(const Conversion& c) {
  const bool to_float = format_of(c.to).has_value(), from_float = format_of(c.from).has_value();
  if ((!to_float && !is_number_type(c.to)) || (!from_float && !is_number_type(c.from))) return false;
  if (c.relu && !(c.to == Type::F16 || c.to == Type::BF16 || c.to == Type::TF32)) return false;
  if (to_float != from_float && !c.rounding) return false;
  return !(c.to_integral && !from_float);
}

bool decode_single(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  std::optional<Conversion> conversion = conversion_of(form);
  if (!conversion || !is_valid(*conversion) || !context.count(in, 2, 2)) return false;
  const ptx::Operand &to = in.operands[0], &from = in.operands[1];
  conversion->to_bytes = context.width(to, conversion->to);
  conversion->from_bytes = context.width(from, conversion->from);
  // A literal's row is as wide as the type; 8-bit values live in 16-bit rows at least.
  if (from.kind != ptx::OperandKind::Register) conversion->from_bytes = ptx::size_of(conversion->from);
  const int least = ptx::size_of(conversion->to);
  if (conversion->to_bytes < least || conversion->from_bytes < ptx::size_of(conversion->from)) return false;
  op.d = context.destination(to);
  op.a = context.source(from, conversion->from);
  const bool exact =
      conversion->to_bytes == least && conversion->from_bytes == ptx::size_of(conversion->from);
  const ListedForm* frequent = exact ? frequent_conversions().find(form.text) : nullptr;
  const bool integers = is_number_type(conversion->to) && is_number_type(conversion->from);
  if (frequent) {
    op.set(frequent->handlers);
  } else if (const Handlers bytes = byte_to_single(*conversion); bytes.full && conversion->to_bytes == 4) {
    op.set(bytes);
  } else if (integers && !conversion->saturates && conversion->to_bytes > 1 && conversion->from_bytes > 1) {
    op.imm =
        static_cast<u64>(8 * ptx::size_of(conversion->from)) | u64{ptx::is_signed(conversion->from)} << 8 |
        static_cast<u64>(8 * ptx::size_of(conversion->to)) << 16 | u64{ptx::is_signed(conversion->to)} << 24;
    op.set(extension_for(conversion->to_bytes, conversion->from_bytes));
  } else {
    op.imm = reinterpret_cast<u64>(kept(form, *conversion));
    op.set(both(&lane_handler));
  }
  return context.ok();
}

}  // namespace

bool decode_packed_conversion(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in,
                              Op& op);

namespace {
constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Cvt, decode_single},
                                    {ptx::Opcode::Cvt, decode_packed_conversion}};
}

std::span<const OpcodeEntry> convert_entries() {
  return kEntries;
}

}  // namespace warplens::simt
