// 16-bit floats in lane loops: conversions without branches, so that they vectorise. Only for the files of
// operations (they are compiled for AVX2).
//
//   float x = half_to_float(0x3c00);             // 1.0f, exact
//   u16 h = float_to_half(x);                    // rounded to nearest even
//   u16 s = float_to_half(half_to_float(a) + half_to_float(b));
#pragma once

#include <bit>

#include "engine/simt/ops/op.h"

namespace warplens::simt {
namespace {

WARPLENS_INLINE float as_float(u32 bits) {
  return std::bit_cast<float>(bits);
}
WARPLENS_INLINE u32 as_bits(float x) {
  return std::bit_cast<u32>(x);
}

WARPLENS_INLINE float half_to_float(u16 h) {
  const u32 magnitude = u32{h} & 0x7fffu;
  // Placing the fields as a float's divides the value by 2^112; a multiplication repairs it, subnormals too.
  const float scaled = as_float(magnitude << 13) * 0x1p112f;
  const u32 special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return as_float(as_bits(scaled) | special | (u32{h} & 0x8000u) << 16);
}

// Round to nearest even. NaN becomes 0x7fff, the machine's canonical one.
WARPLENS_INLINE u16 float_to_half(float x) {
  const u32 bits = as_bits(x), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  // Normal results: move the exponent's bias, then add just under half a unit, a full half when odd.
  const u32 normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  // Subnormal results: the sum with 2^-1 puts the half's unit at the float's last bit and rounds there.
  const u32 subnormal = as_bits(as_float(magnitude) + 0.5f) - 0x3f000000u;
  const u32 finite = magnitude < 0x38800000u ? subnormal : normal;
  const u32 rounded = magnitude >= 0x477ff000u ? 0x7c00u : finite;
  return static_cast<u16>(magnitude > 0x7f800000u ? 0x7fffu : rounded | sign);
}

WARPLENS_INLINE float bfloat_to_float(u16 b) {
  return as_float(u32{b} << 16);
}

WARPLENS_INLINE u16 float_to_bfloat(float x) {
  const u32 bits = as_bits(x);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<u16>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
}

// The next number away from zero or toward it when `error`, what a rounding left out of `x`, is not zero and
// x's last bit is even: an odd last bit makes rounding once more to 16 bits come out as if done once.
WARPLENS_INLINE float made_odd(float x, bool inexact, bool grows) {
  const u32 bits = as_bits(x);
  return as_float(inexact && (bits & 1u) == 0 ? bits + (grows ? 1u : ~u32{0}) : bits);
}
WARPLENS_INLINE double made_odd(double x, bool inexact, bool grows) {
  const u64 bits = std::bit_cast<u64>(x);
  return std::bit_cast<double>(inexact && (bits & 1u) == 0 ? bits + (grows ? 1u : ~u64{0}) : bits);
}

// a + b rounded to odd; Knuth's two-sum finds the error. Not for sums beyond the type's range.
template <typename T>
WARPLENS_INLINE T add_to_odd(T a, T b) {
  const T sum = a + b;
  const T b_part = sum - a;
  const T error = (a - (sum - b_part)) + (b - b_part);
  const bool inexact = error != 0 && error - error == 0;
  return made_odd(sum, inexact, (error < 0) == (sum < 0));
}
// A double as a float, rounded to odd.
WARPLENS_INLINE float narrow_to_odd(double x) {
  const float rounded = static_cast<float>(x);
  const double error = x - static_cast<double>(rounded);
  const bool inexact = error != 0 && error - error == 0;
  const bool negative = std::bit_cast<u32>(rounded) >> 31;
  return made_odd(rounded, inexact, (error < 0) == negative);
}

// The product of two halves is exact in float, and so is its range.
WARPLENS_INLINE u16 half_fma(u16 a, u16 b, u16 c) {
  return float_to_half(add_to_odd(half_to_float(a) * half_to_float(b), half_to_float(c)));
}
// Products of bfloats need a double's range.
WARPLENS_INLINE u16 bfloat_fma(u16 a, u16 b, u16 c) {
  const double product = static_cast<double>(bfloat_to_float(a)) * static_cast<double>(bfloat_to_float(b));
  return float_to_bfloat(narrow_to_odd(add_to_odd(product, static_cast<double>(bfloat_to_float(c)))));
}

// Zero of the same sign for subnormals.
WARPLENS_INLINE float flush(float x) {
  const u32 bits = as_bits(x);
  return as_float((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
// The one NaN that single-precision arithmetic writes.
WARPLENS_INLINE float canonical(float x) {
  return x == x ? x : as_float(0x7fffffffu);
}
// .sat: clamped to [0, 1], NaN to +0.
WARPLENS_INLINE float saturate(float x) {
  const float low = x > 0.0f ? x : 0.0f;  // NaN and -0 compare false
  return low < 1.0f ? low : 1.0f;
}

}  // namespace
}  // namespace warplens::simt
