// IEEE binary16 in software, round to nearest even, for buffers and scalars of type f16.
//
//   to_half(1.0) == 0x3c00;  from_half(0x3c00) == 1.0;  to_half(70000.0) is infinity
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace warplens::trace {

// Rounds once, from double: going through float first would round twice.
inline std::uint16_t to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000u : 0u);
  if (std::isnan(value)) return 0x7fffu;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00u);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude in [2^(exponent-1), 2^exponent)
  // The last place of a normal half is 2^-10 of its leading bit; denormals stop at 2^-24.
  const int last_place = magnitude == 0.0 || exponent - 11 < -24 ? -24 : exponent - 11;
  // nearbyint rounds half to even in the default rounding mode.
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -last_place)));
  // Steps of a normal run from 1024 to 2047 (2048 carries into the exponent, which the addition does too).
  const std::uint32_t bits = static_cast<std::uint32_t>(last_place + 24) * 1024u + steps;
  return static_cast<std::uint16_t>(sign | bits);
}

inline double from_half(std::uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * static_cast<double>(INFINITY);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

}  // namespace warplens::trace
