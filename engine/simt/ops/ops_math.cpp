// The quick functions: ex2, lg2, sin, cos, tanh. The hardware looks them up in tables; here they are computed
// in double precision and rounded once, which is inside the bounds that the PTX document gives, but not equal
// bit for bit. All of them are straight-line code, so that the lane loops vectorise.
#include <cmath>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

inline u64 double_bits(double x) {
  return std::bit_cast<u64>(x);
}
inline double from_bits(u64 bits) {
  return std::bit_cast<double>(bits);
}

// Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
constexpr double kRounder = 0x1.8p52;

// Coefficients from the highest power down.
template <std::size_t kCount>
inline double polynomial(double x, const double (&coefficients)[kCount]) {
  double sum = coefficients[0];
  for (std::size_t i = 1; i < kCount; ++i) sum = sum * x + coefficients[i];
  return sum;
}

// Powers of ln 2 over factorials: 2^r for |r| <= 1/2, to 2e-13.
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kExpCoefficients[] = {7.054911620801121e-09,
                                       1.0178086009239699e-07,
                                       1.3215486790144307e-06,
                                       1.5252733804059841e-05,
                                       1.5403530393381608e-04,
                                       1.3333558146428443e-03,
                                       9.6181291076284770e-03,
                                       5.5504108664821580e-02,
                                       2.4022650695910072e-01,
                                       kLn2,
                                       1.0};

inline double exp2_of(double x) {
  const double low = x < -1022.0 ? -1022.0 : x;
  const double bounded = low > 1023.0 ? 1023.0 : low;
  const double shifted = bounded + kRounder;
  const double r = bounded - (shifted - kRounder);
  const double power = from_bits(double_bits(polynomial(r, kExpCoefficients)) + (double_bits(shifted) << 52));
  return x == x ? power : x;
}

inline float quick_exp2(float x) {
  return static_cast<float>(exp2_of(static_cast<double>(x)));
}

// 2 / ln 2 / (2 k + 1): the logarithm as an odd series in (m - 1) / (m + 1).
constexpr double kLogScale = 2.8853900817779268;
constexpr double kLogCoefficients[] = {kLogScale / 15, kLogScale / 13, kLogScale / 11, kLogScale / 9,
                                       kLogScale / 7,  kLogScale / 5,  kLogScale / 3,  kLogScale};

inline float quick_log2(float x) {
  const u64 bits = double_bits(static_cast<double>(x));
  // Mantissa in [sqrt(1/2), sqrt(2)): move the cut between exponents there.
  const u64 moved = bits - 0x3fe6a09e667f3bcdu;
  const u64 field = (moved + (u64{2048} << 52)) >> 52;  // exponent + 2048, positive
  const double mantissa = from_bits(bits - (moved & 0xfff0000000000000u));
  const double exponent = from_bits(field | 0x4330000000000000u) - (0x1p52 + 2048.0);
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  const float result = static_cast<float>(exponent + t * polynomial(t * t, kLogCoefficients));
  const float positive = x == __builtin_inff() ? x : result;
  const float number = x == 0.0f ? -__builtin_inff() : positive;
  return x >= 0.0f ? number : __builtin_nanf("");
}

constexpr double kSinCoefficients[] = {
    -7.6471637318198165e-13, 1.6059043836821613e-10, -2.5052108385441719e-08, 2.7557319223985893e-06,
    -1.9841269841269841e-04, 8.3333333333333333e-03, -1.6666666666666667e-01, 1.0};
constexpr double kCosCoefficients[] = {4.7794773323873853e-14,
                                       -1.1470745597729725e-11,
                                       2.0876756987868099e-09,
                                       -2.7557319223985891e-07,
                                       2.4801587301587302e-05,
                                       -1.3888888888888889e-03,
                                       4.1666666666666667e-02,
                                       -0.5,
                                       1.0};

// sin(x + quarter turns); x up to 2^30, beyond which the caller asks the library.
inline double sine_of(double x, u64 quarters) {
  constexpr double kTwoOverPi = 0.63661977236758134, kHigh = 0x1.921fb544p0, kLow = 0x1.0b4611a626331p-34;
  const double shifted = x * kTwoOverPi + kRounder;
  const double turns = shifted - kRounder;
  const double r = (x - turns * kHigh) - turns * kLow;
  const u64 quadrant = double_bits(shifted) + quarters;
  const double sine = r * polynomial(r * r, kSinCoefficients), cosine = polynomial(r * r, kCosCoefficients);
  const double value = (quadrant & 1) != 0 ? cosine : sine;
  return from_bits(double_bits(value) ^ (quadrant & 2) << 62);
}

constexpr auto kSine = [](float x) { return static_cast<float>(sine_of(static_cast<double>(x), 0)); };
constexpr auto kCosine = [](float x) { return static_cast<float>(sine_of(static_cast<double>(x), 1)); };
constexpr auto kExp2 = [](float x) { return quick_exp2(x); };
constexpr auto kLog2 = [](float x) { return quick_log2(x); };
constexpr auto kTanh = [](float x) {
  const double wide = static_cast<double>(x), square = wide * wide;
  constexpr double series[] = {62.0 / 2835, -17.0 / 315, 2.0 / 15, -1.0 / 3, 1.0};
  const double small = wide * polynomial(square, series);
  const double power = exp2_of(2.0 * wide / kLn2);
  const double large = power > 1e30 ? 1.0 : (power - 1.0) / (power + 1.0);
  return static_cast<float>(square < 0.01 ? small : large);
};

// Sines of arguments beyond the reduction's reach (and of infinities) come from the library.
template <bool kFull, auto Quick, auto Library, bool kFlush>
void trigonometric_handler(const Op& op, Warp& warp, LaneMask mask) {
  const float* a = row<float>(warp, op.a);
  alignas(64) float result[kWarpSize];
  WARPLENS_FOR_LANES(l) {
    const float x = Quick(kFlush ? flush(a[l]) : a[l]);
    result[l] = canonical(kFlush ? flush(x) : x);
  }
  const LaneMask far = mask_of([&](unsigned l) { return !(std::fabs(a[l]) < 0x1p20f); });
  if (far & mask)
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
      if (lane_in(far, l)) result[l] = canonical(static_cast<float>(Library(static_cast<double>(a[l]))));
  write_lanes(row<float>(warp, op.d), mask, kFull, [&](unsigned l) { return result[l]; });
}

template <auto Quick, auto Library, bool kFlush>
constexpr Handlers trigonometric() {
  return {&trigonometric_handler<true, Quick, Library, kFlush>,
          &trigonometric_handler<false, Quick, Library, kFlush>};
}

template <auto F>
void add_quick(FormTable& table, const std::string& opcode) {
  constexpr auto plain = [](float x) { return canonical(F(x)); };
  constexpr auto flushed = [](float x) { return canonical(flush(F(flush(x)))); };
  add_unary<float, float, plain>(table, opcode + ".approx.f32");
  add_unary<float, float, flushed>(table, opcode + ".approx.ftz.f32");
}

// The same on 16-bit floats, single and in pairs.
template <auto F>
constexpr auto kOnHalf = [](u16 x) { return float_to_half(F(half_to_float(x))); };
template <auto F>
constexpr auto kOnBfloat = [](u16 x) { return float_to_bfloat(F(bfloat_to_float(x))); };
template <auto F>
constexpr auto kOnPair = [](u32 x) {
  return static_cast<u32>(F(static_cast<u16>(x))) | static_cast<u32>(F(static_cast<u16>(x >> 16))) << 16;
};
template <auto F>
void add_narrow(FormTable& table, const std::string& stem, Type single, Type pair) {
  table.add(stem + "." + std::string(ptx::name(single)), unary<u16, u16, F>(), single, {single});
  table.add(stem + "." + std::string(ptx::name(pair)), unary<u32, u32, kOnPair<F>>(), pair, {pair});
}

}  // namespace

void add_math_forms(FormTable& table) {
  constexpr auto sine = [](double x) { return std::sin(x); };
  constexpr auto cosine = [](double x) { return std::cos(x); };
  add_quick<kExp2>(table, "ex2");
  add_quick<kLog2>(table, "lg2");
  add_quick<kTanh>(table, "tanh");
  table.add("sin.approx.f32", trigonometric<kSine, sine, false>(), Type::F32, {Type::F32});
  table.add("sin.approx.ftz.f32", trigonometric<kSine, sine, true>(), Type::F32, {Type::F32});
  table.add("cos.approx.f32", trigonometric<kCosine, cosine, false>(), Type::F32, {Type::F32});
  table.add("cos.approx.ftz.f32", trigonometric<kCosine, cosine, true>(), Type::F32, {Type::F32});
  add_narrow<kOnHalf<kExp2>>(table, "ex2.approx", Type::F16, Type::F16x2);
  add_narrow<kOnBfloat<kExp2>>(table, "ex2.approx.ftz", Type::BF16, Type::BF16x2);
  add_narrow<kOnHalf<kTanh>>(table, "tanh.approx", Type::F16, Type::F16x2);
  add_narrow<kOnBfloat<kTanh>>(table, "tanh.approx", Type::BF16, Type::BF16x2);
}

}  // namespace warplens::simt
