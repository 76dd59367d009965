// What a fused multiply-add of 16 bits gives, worked out with nothing but doubles: for tests to compare with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/simt/ops/numeric.h"

namespace warplens::simt {

// The double nearest to a + b, except that an inexact result gets an odd last bit: rounding it again to a
// format of 51 bits or less gives what rounding the exact sum once would give.
inline double add_round_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  // Knuth's two-sum: the error of the addition, exactly.
  const double b_part = sum - a;
  const double error = (a - (sum - b_part)) + (b - b_part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || (bits & 1)) return sum;
  bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

// a * b + c in a 16-bit format, rounded once.
inline std::uint16_t fused_multiply_add(std::uint16_t a, std::uint16_t b, std::uint16_t c, FloatFormat format,
                                        Rounding rounding) {
  const auto wide = [&](std::uint16_t bits) {
    return std::bit_cast<double>(pack(unpack(bits, format), kDouble, Rounding::Nearest));
  };
  // The product of two 16-bit numbers is exact in double.
  const double sum = add_round_to_odd(wide(a) * wide(b), wide(c));
  return static_cast<std::uint16_t>(
      pack(unpack(std::bit_cast<std::uint64_t>(sum), kDouble), format, rounding));
}

}  // namespace warplens::simt
