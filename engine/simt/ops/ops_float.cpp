// Single and double precision arithmetic that rounds to nearest: add, sub, mul, fma, mad, div, rcp, sqrt,
// min, max, neg, abs, copysign. Roundings toward zero and the infinities are in ops_directed.cpp.
//
// Single-precision results that are NaN become the machine's one NaN, 0x7fffffff.
#include <cmath>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

constexpr auto kAdd = []<typename T>(T a, T b) { return a + b; };
constexpr auto kSubtract = []<typename T>(T a, T b) { return a - b; };
constexpr auto kMultiply = []<typename T>(T a, T b) { return a * b; };
constexpr auto kFused = [](auto a, auto b, auto c) {
  if constexpr (sizeof(a) == 8)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
};
constexpr auto kDivide = []<typename T>(T a, T b) { return a / b; };
// The quick division multiplies by a reciprocal, which is zero for very large divisors.
constexpr auto kDivideQuick = [](float a, float b) {
  const float magnitude = std::fabs(b);
  const bool vanishes = magnitude > 0x1p126f && magnitude < __builtin_inff();
  return a * (vanishes ? std::copysign(0.0f, b) : 1.0f) / (vanishes ? 1.0f : b);
};
constexpr auto kReciprocal = []<typename T>(T a) { return T{1} / a; };
constexpr auto kSquareRoot = [](auto a) {
  if constexpr (sizeof(a) == 8)
    return __builtin_sqrt(a);
  else
    return __builtin_sqrtf(a);
};
constexpr auto kInverseRoot = [](auto a) {
  return static_cast<decltype(a)>(1.0 / __builtin_sqrt(static_cast<double>(a)));
};

template <bool kFlush>
inline float input(float x) {
  return kFlush ? flush(x) : x;
}
template <bool kFlush, bool kSaturate>
inline float output(float x) {
  if (kSaturate) return saturate(kFlush ? flush(x) : x);
  return canonical(kFlush ? flush(x) : x);
}

template <auto F, bool kFlush, bool kSaturate>
constexpr auto kUnary = [](float a) { return output<kFlush, kSaturate>(F(input<kFlush>(a))); };
template <auto F, bool kFlush, bool kSaturate>
constexpr auto kBinary =
    [](float a, float b) { return output<kFlush, kSaturate>(F(input<kFlush>(a), input<kFlush>(b))); };
template <auto F, bool kFlush, bool kSaturate>
constexpr auto kTernary = [](float a, float b, float c) {
  return output<kFlush, kSaturate>(F(input<kFlush>(a), input<kFlush>(b), input<kFlush>(c)));
};

template <auto F>
void add_unary_forms(FormTable& table, const std::string& text) {
  add_unary<float, float, kUnary<F, false, false>>(table, text + ".f32");
  add_unary<float, float, kUnary<F, true, false>>(table, text + ".ftz.f32");
}
template <auto F>
void add_binary_forms(FormTable& table, const std::string& text) {
  add_binary<float, float, float, kBinary<F, false, false>>(table, text + ".f32");
  add_binary<float, float, float, kBinary<F, true, false>>(table, text + ".ftz.f32");
}
template <auto F>
void add_saturated_forms(FormTable& table, const std::string& text) {
  add_binary<float, float, float, kBinary<F, false, true>>(table, text + ".sat.f32");
  add_binary<float, float, float, kBinary<F, true, true>>(table, text + ".ftz.sat.f32");
}
template <auto F>
void add_ternary_forms(FormTable& table, const std::string& text) {
  add_ternary<float, float, float, float, kTernary<F, false, false>>(table, text + ".f32");
  add_ternary<float, float, float, float, kTernary<F, true, false>>(table, text + ".ftz.f32");
  add_ternary<float, float, float, float, kTernary<F, false, true>>(table, text + ".sat.f32");
  add_ternary<float, float, float, float, kTernary<F, true, true>>(table, text + ".ftz.sat.f32");
}

template <auto F>
void add_sum(FormTable& table, const std::string& opcode) {
  for (const char* rounding : {"", ".rn"}) {
    add_binary_forms<F>(table, opcode + rounding);
    add_saturated_forms<F>(table, opcode + rounding);
    add_binary<double, double, double, F>(table, opcode + rounding + ".f64");
  }
}

// min and max leave NaN out when the other operand is a number, and order -0 below +0.
template <bool kMinimum>
constexpr auto kExtreme = []<typename T>(T a, T b) {
  const bool first = kMinimum ? a < b : a > b;
  // Equal operands differ at most in the sign of zero.
  const bool tie = int(a == b) & int(std::signbit(a) == kMinimum);
  return bool(int(b != b) | int(first) | int(tie)) ? a : b;
};
template <bool kMinimum, bool kPropagate, bool kSign, bool kFlush>
constexpr auto kExtremeForm = [](float a, float b) {
  float x = input<kFlush>(a), y = input<kFlush>(b);
  const u32 sign = (as_bits(x) ^ as_bits(y)) & 0x80000000u;
  if (kSign) {
    x = std::fabs(x);
    y = std::fabs(y);
  }
  float result = canonical(kExtreme<kMinimum>(x, y));
  if (kPropagate) result = bool(int(x == x) & int(y == y)) ? result : as_float(0x7fffffffu);
  if (!kSign) return result;
  return result == result ? as_float(as_bits(result) | sign) : result;
};

template <bool kMinimum, bool kPropagate, bool kSign>
void add_extreme(FormTable& table, const std::string& opcode) {
  const std::string tail = std::string(kPropagate ? ".NaN" : "") + (kSign ? ".xorsign.abs.f32" : ".f32");
  add_binary<float, float, float, kExtremeForm<kMinimum, kPropagate, kSign, false>>(table, opcode + tail);
  add_binary<float, float, float, kExtremeForm<kMinimum, kPropagate, kSign, true>>(table,
                                                                                   opcode + ".ftz" + tail);
}

template <bool kMinimum>
void add_extremes(FormTable& table, const std::string& opcode) {
  add_extreme<kMinimum, false, false>(table, opcode);
  add_extreme<kMinimum, true, false>(table, opcode);
  add_extreme<kMinimum, false, true>(table, opcode);
  add_extreme<kMinimum, true, true>(table, opcode);
  add_binary<double, double, double, kExtreme<kMinimum>>(table, opcode + ".f64");
}

void add_signs(FormTable& table) {
  // NaN becomes the one NaN in single precision and stays as it is under abs in double precision.
  constexpr auto negate = [](float a) { return canonical(-a); };
  constexpr auto negate_double = [](double a) { return -a; };
  constexpr auto absolute = [](float a) { return canonical(std::fabs(a)); };
  constexpr auto absolute_double = [](double a) { return a == a ? std::fabs(a) : a; };
  constexpr auto negate_flushed = [](float a) { return canonical(-flush(a)); };
  constexpr auto absolute_flushed = [](float a) { return canonical(std::fabs(flush(a))); };
  constexpr auto copy_sign = [](auto a, auto b) { return std::copysign(b, a); };
  add_unary<float, float, negate>(table, "neg.f32");
  add_unary<float, float, negate_flushed>(table, "neg.ftz.f32");
  add_unary<double, double, negate_double>(table, "neg.f64");
  add_unary<float, float, absolute>(table, "abs.f32");
  add_unary<float, float, absolute_flushed>(table, "abs.ftz.f32");
  add_unary<double, double, absolute_double>(table, "abs.f64");
  add_binary<float, float, float, copy_sign>(table, "copysign.f32");
  add_binary<double, double, double, copy_sign>(table, "copysign.f64");
}

void add_quotients(FormTable& table) {
  add_binary_forms<kDivide>(table, "div.rn");
  add_binary_forms<kDivide>(table, "div.full");
  add_binary_forms<kDivide>(table, "div");
  add_binary_forms<kDivideQuick>(table, "div.approx");
  add_binary<double, double, double, kDivide>(table, "div.rn.f64");
  add_unary_forms<kReciprocal>(table, "rcp.rn");
  add_unary_forms<kReciprocal>(table, "rcp.approx");
  add_unary<double, double, kReciprocal>(table, "rcp.rn.f64");
  add_unary_forms<kSquareRoot>(table, "sqrt.rn");
  add_unary_forms<kSquareRoot>(table, "sqrt.approx");
  add_unary<double, double, kSquareRoot>(table, "sqrt.rn.f64");
  add_unary_forms<kInverseRoot>(table, "rsqrt.approx");
  add_unary<double, double, kInverseRoot>(table, "rsqrt.approx.f64");
}

// The approximations of double functions look only at the upper half of their operand and write only the
// upper half of the result.
template <auto F>
constexpr auto kUpperHalf = [](double a) {
  constexpr u64 upper = 0xffffffff00000000u, exponent = 0x7ff0000000000000u, sign = 0x8000000000000000u;
  u64 bits = std::bit_cast<u64>(a) & upper;
  if ((bits & exponent) == 0) bits &= sign;
  u64 result = std::bit_cast<u64>(F(std::bit_cast<double>(bits))) & upper;
  if ((result & exponent) == 0) result &= sign;
  return std::bit_cast<double>(result);
};

}  // namespace

void add_float_forms(FormTable& table) {
  add_sum<kAdd>(table, "add");
  add_sum<kSubtract>(table, "sub");
  add_sum<kMultiply>(table, "mul");
  for (const char* opcode : {"fma.rn", "mad.rn", "mad"}) {
    add_ternary_forms<kFused>(table, opcode);
    add_ternary<double, double, double, double, kFused>(table, std::string(opcode) + ".f64");
  }
  add_extremes<true>(table, "min");
  add_extremes<false>(table, "max");
  add_signs(table);
  add_quotients(table);
  add_unary<double, double, kUpperHalf<kReciprocal>>(table, "rcp.approx.ftz.f64");
  add_unary<double, double, kUpperHalf<kInverseRoot>>(table, "rsqrt.approx.ftz.f64");
}

}  // namespace warplens::simt
