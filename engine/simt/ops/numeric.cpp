#include "engine/simt/ops/numeric.h"

#include <bit>

namespace warplens::simt {

namespace {

using Kind = Unpacked::Kind;

constexpr std::uint64_t ones(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

constexpr std::uint64_t canonical_nan(FloatFormat format) {
  // What NVIDIA's hardware writes: all ones under a clear sign for the narrow formats and f32.
  if (format.bits() == 64) return 0x7ff8000000000000u;
  return ones(format.bits() - 1);
}

constexpr std::uint64_t infinity(FloatFormat format) {
  return ones(format.exponent_bits) << format.mantissa_bits;
}

constexpr std::uint64_t largest_finite(FloatFormat format) {
  return format.finite_only ? ones(format.bits() - 1) - 1 : infinity(format) - 1;
}

// Whether a magnitude with these discarded bits grows by one unit. `half` is the first discarded bit, `rest`
// whether anything lies below it.
bool rounds_up(bool negative, bool odd, bool half, bool rest, Rounding rounding) {
  switch (rounding) {
    case Rounding::Nearest:
      return half && (rest || odd);
    case Rounding::NearestAway:
      return half;
    case Rounding::Zero:
      return false;
    case Rounding::Down:
      return negative && (half || rest);
    case Rounding::Up:
      return !negative && (half || rest);
  }
  return false;
}

// The top `keep` bits of a significand (keep may be 0 or negative: nothing is kept), rounded.
std::uint64_t round_significand(const Unpacked& value, int keep, Rounding rounding) {
  if (keep < 0) return rounds_up(value.negative, false, false, true, rounding) ? 1 : 0;
  if (keep >= 64) return value.significand;
  const int dropped = 64 - keep;
  const std::uint64_t kept = keep == 0 ? 0 : value.significand >> dropped;
  const bool half = (value.significand >> (dropped - 1)) & 1;
  const bool rest = (value.significand & ones(dropped - 1)) != 0 || value.sticky;
  return kept + (rounds_up(value.negative, kept & 1, half, rest, rounding) ? 1 : 0);
}

Unpacked normalised(bool negative, std::uint64_t significand, int exponent_of_bit_0) {
  if (significand == 0) return {Kind::Zero, negative, false, 0, 0};
  const int shift = std::countl_zero(significand);
  return {Kind::Finite, negative, false, significand << shift, exponent_of_bit_0 + 63 - shift};
}

}  // namespace

Unpacked unpack(std::uint64_t bits, FloatFormat format) {
  const std::uint64_t mantissa = bits & ones(format.mantissa_bits);
  const auto exponent = static_cast<int>((bits >> format.mantissa_bits) & ones(format.exponent_bits));
  const bool negative = (bits >> (format.bits() - 1)) & 1;
  if (exponent == static_cast<int>(ones(format.exponent_bits))) {
    const bool nan = format.finite_only ? mantissa == ones(format.mantissa_bits) : mantissa != 0;
    if (nan) return {Kind::NotANumber, negative, false, 0, 0};
    if (!format.finite_only) return {Kind::Infinite, negative, false, 0, 0};
  }
  const int weight = (exponent == 0 ? 1 : exponent) - format.bias() - format.mantissa_bits;
  const std::uint64_t hidden = exponent == 0 ? 0 : std::uint64_t{1} << format.mantissa_bits;
  return normalised(negative, mantissa | hidden, weight);
}

Unpacked unpack_unsigned(std::uint64_t value) {
  return normalised(false, value, 0);
}

Unpacked unpack_signed(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return normalised(value < 0, value < 0 ? 0 - bits : bits, 0);
}

std::uint64_t pack(const Unpacked& value, FloatFormat format, Rounding rounding, bool saturate_finite) {
  const std::uint64_t sign = value.negative ? std::uint64_t{1} << (format.bits() - 1) : 0;
  const bool no_infinity = saturate_finite || format.finite_only;
  if (value.kind == Kind::NotANumber) return canonical_nan(format);
  if (value.kind == Kind::Zero) return sign;
  if (value.kind == Kind::Infinite) return sign | (no_infinity ? largest_finite(format) : infinity(format));
  const int smallest_normal = 1 - format.bias();
  const bool subnormal = value.exponent < smallest_normal;
  const int keep = format.mantissa_bits + 1 - (subnormal ? smallest_normal - value.exponent : 0);
  const std::uint64_t kept = round_significand(value, keep, rounding);
  // The hidden bit adds one to the exponent field, and so does a carry out of the mantissa.
  const std::uint64_t field =
      subnormal ? 0 : static_cast<std::uint64_t>(value.exponent + format.bias() - 1) << format.mantissa_bits;
  const std::uint64_t magnitude = field + kept;
  if (magnitude <= largest_finite(format)) return sign | magnitude;
  const bool toward_zero = rounding == Rounding::Zero || (rounding == Rounding::Down && !value.negative) ||
                           (rounding == Rounding::Up && value.negative);
  return sign | (no_infinity || toward_zero ? largest_finite(format) : infinity(format));
}

std::uint64_t to_integer(const Unpacked& value, int bits, bool is_signed, Rounding rounding,
                         std::uint64_t not_a_number) {
  if (value.kind == Kind::NotANumber) return not_a_number & ones(bits);
  if (value.kind == Kind::Zero) return 0;
  const std::uint64_t largest = is_signed ? ones(bits - 1) : ones(bits);
  const std::uint64_t smallest = is_signed ? std::uint64_t{1} << (bits - 1) : 0;  // its magnitude
  const std::uint64_t limit = value.negative ? smallest : largest;
  std::uint64_t magnitude = limit;
  if (value.kind == Kind::Finite && value.exponent < 64) {
    // A carry out of 64 bits cannot happen: with 64 bits kept nothing is rounded.
    magnitude = round_significand(value, value.exponent + 1, rounding);
    if (magnitude > limit) magnitude = limit;
  }
  return (value.negative ? 0 - magnitude : magnitude) & ones(bits);
}

}  // namespace warplens::simt
