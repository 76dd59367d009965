#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>

#include "engine/simt/ops/numeric.h"
#include "tests/simt/op_numbers.h"

namespace warplens::simt::test {
namespace {

double twice(Bits a) {
  return std::bit_cast<double>(a);
}
float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}
float saturated(float x) {
  return x >= 1 ? 1.0f : x > 0 ? x : 0.0f;
}

// Independent of the host's float arithmetic: the exact sum or product is rounded from a wider type. A sum in
// long double (64 bits) of two floats may be inexact, so it is rounded to odd by hand.
float rounded(long double exact, bool inexact, bool above, Rounding mode) {
  Unpacked value = unpack(0, kSingle);
  if (std::isnan(exact)) return NAN;
  int exponent = 0;
  const long double mantissa = std::frexp(std::fabs(exact), &exponent);
  value.kind = exact == 0          ? Unpacked::Kind::Zero
               : std::isinf(exact) ? Unpacked::Kind::Infinite
                                   : Unpacked::Kind::Finite;
  value.negative = std::signbit(exact);
  if (value.kind == Unpacked::Kind::Finite) {
    value.significand = static_cast<std::uint64_t>(std::ldexp(mantissa, 64));
    value.exponent = exponent - 1;
    if (inexact && !above) --value.significand;
    value.sticky = inexact;
  }
  return single(pack(value, kSingle, mode));
}
float product(float a, float b, Rounding mode) {
  return rounded(static_cast<long double>(a) * static_cast<long double>(b), false, false, mode);
}
// Sums by the exact error of long double addition.
float sum(long double a, long double b, Rounding mode) {
  const long double total = a + b;
  if (total == 0 && std::signbit(a) != std::signbit(b)) return mode == Rounding::Down ? -0.0f : 0.0f;
  if (!std::isfinite(total)) return static_cast<float>(total);
  const long double part = total - a, error = (a - (total - part)) + (b - part);
  const bool above = (error > 0) == (total > 0);
  return rounded(total, error != 0, above, mode);
}

const std::pair<const char*, Rounding> kModes[] = {
    {".rn", Rounding::Nearest}, {".rz", Rounding::Zero}, {".rm", Rounding::Down}, {".rp", Rounding::Up}};

TEST(OpsFloat, SinglePrecisionInEveryRounding) {
  for (const auto& [name, mode] : kModes) {
    const std::string rounding = name;
    const Rounding m = mode;
    check_all({
        {"add" + rounding + ".f32", "r rr",
         [=](Bits a, Bits b, Bits) { return bits(sum(single(a), single(b), m)); }, Values::Single},
        {"sub" + rounding + ".f32", "r rr",
         [=](Bits a, Bits b, Bits) { return bits(sum(single(a), -single(b), m)); }, Values::Single},
        {"mul" + rounding + ".f32", "r rr",
         [=](Bits a, Bits b, Bits) { return bits(product(single(a), single(b), m)); }, Values::Single},
        {"fma" + rounding + ".f32", "r rrr",
         [=](Bits a, Bits b, Bits c) {
           return bits(
               sum(static_cast<long double>(single(a)) * static_cast<long double>(single(b)), single(c), m));
         },
         Values::Single},
    });
  }
}

TEST(OpsFloat, FlushesAndSaturates) {
  check_all({
      {"add.ftz.f32", "r rr",
       [](Bits a, Bits b, Bits) { return bits(flushed(flushed(single(a)) + flushed(single(b)))); },
       Values::Single},
      {"mul.ftz.f32", "r rr",
       [](Bits a, Bits b, Bits) { return bits(flushed(flushed(single(a)) * flushed(single(b)))); },
       Values::Single},
      {"mul.sat.f32", "r rr", [](Bits a, Bits b, Bits) { return bits(saturated(single(a) * single(b))); },
       Values::Single},
      {"add.ftz.sat.f32", "r rr",
       [](Bits a, Bits b, Bits) { return bits(saturated(flushed(flushed(single(a)) + flushed(single(b))))); },
       Values::Single},
      {"fma.rn.sat.f32", "r rrr",
       [](Bits a, Bits b, Bits c) { return bits(saturated(std::fma(single(a), single(b), single(c)))); },
       Values::Single},
      {"fma.rn.ftz.f32", "r rrr",
       [](Bits a, Bits b, Bits c) {
         return bits(flushed(std::fma(flushed(single(a)), flushed(single(b)), flushed(single(c)))));
       },
       Values::Single},
      {"mul.rz.ftz.sat.f32 %o, %a, %b;", "r rr",
       [](Bits a, Bits b, Bits) {
         return bits(saturated(flushed(product(flushed(single(a)), flushed(single(b)), Rounding::Zero))));
       },
       Values::Single},
  });
}

// The library under a rounding mode; noinline and volatile keep the compiler from folding or moving it.
template <typename F>
__attribute__((noinline)) double under(int mode, F f) {
  std::fesetround(mode);
  volatile double result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(OpsFloat, DoublePrecision) {
  const std::pair<const char*, int> modes[] = {
      {".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
  const auto nan_or = [](double x) { return std::isnan(x) ? Bits{1} : bits(x); };
  for (const auto& [name, host] : modes) {
    const std::string rounding = name;
    const int mode = host;
    // NaNs of double precision carry payloads that are nobody's business: all compare equal here.
    const auto binary = [&](const std::string& op, auto f) {
      return OpCase{op + rounding + ".f64 %o, %a, %b; setp.nan.f64 %qx, %o, %o; selp.b64 %o, 1, %o, %qx;",
                    "d dd",
                    [=](Bits a, Bits b, Bits) {
                      volatile double x = twice(a), y = twice(b);
                      return nan_or(under(mode, [&] { return f(x, y); }));
                    },
                    Values::Double};
    };
    check_all({binary("add", [](double a, double b) { return a + b; }),
               binary("sub", [](double a, double b) { return a - b; }),
               binary("mul", [](double a, double b) { return a * b; }),
               binary("div", [](double a, double b) { return a / b; }),
               {"fma" + rounding + ".f64 %o, %a, %b, %c; setp.nan.f64 %qx, %o, %o; selp.b64 %o, 1, %o, %qx;",
                "d ddd",
                [=](Bits a, Bits b, Bits c) {
                  volatile double x = twice(a), y = twice(b), z = twice(c);
                  return nan_or(under(mode, [&] { return std::fma(x, y, z); }));
                },
                Values::Double}});
  }
}

TEST(OpsFloat, QuotientsAndRoots) {
  const auto root = [](float x) { return static_cast<float>(std::sqrt(static_cast<long double>(x))); };
  check_all({
      {"div.rn.f32", "r rr",
       [](Bits a, Bits b, Bits) {
         return bits(static_cast<float>(static_cast<double>(single(a)) / static_cast<double>(single(b))));
       },
       Values::Single},
      {"rcp.rn.f32", "r r",
       [](Bits a, Bits, Bits) { return bits(static_cast<float>(1.0 / static_cast<double>(single(a)))); },
       Values::Single},
      {"sqrt.rn.f32", "r r", [=](Bits a, Bits, Bits) { return bits(root(single(a))); }, Values::Single},
      {"sqrt.rn.f64 %o, %a; setp.nan.f64 %qx, %o, %o; selp.b64 %o, 1, %o, %qx;", "d d",
       [](Bits a, Bits, Bits) {
         return std::isnan(std::sqrt(twice(a))) ? Bits{1} : bits(std::sqrt(twice(a)));
       },
       Values::Double},
      {"div.full.f32", "r rr", [](Bits a, Bits b, Bits) { return bits(single(a) / single(b)); },
       Values::Single, 2},
      {"rsqrt.approx.f32", "r r",
       [](Bits a, Bits, Bits) {
         return bits(static_cast<float>(1.0 / std::sqrt(static_cast<double>(single(a)))));
       },
       Values::Single, 1},
      {"rcp.approx.ftz.f32", "r r",
       [](Bits a, Bits, Bits) { return bits(flushed(1.0f / flushed(single(a)))); }, Values::Single, 1},
  });
}

template <typename T>
T least(T a, T b, bool minimum) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == minimum ? a : b;
  return (a < b) == minimum ? a : b;
}

TEST(OpsFloat, MinimaMaximaAndSigns) {
  for (const bool minimum : {true, false}) {
    const std::string op = minimum ? "min" : "max";
    check_all({
        {op + ".f32", "r rr",
         [=](Bits a, Bits b, Bits) { return bits(least(single(a), single(b), minimum)); }, Values::Single},
        {op + ".ftz.f32", "r rr",
         [=](Bits a, Bits b, Bits) { return bits(least(flushed(single(a)), flushed(single(b)), minimum)); },
         Values::Single},
        {op + ".NaN.f32", "r rr",
         [=](Bits a, Bits b, Bits) {
           const bool nan = std::isnan(single(a)) || std::isnan(single(b));
           return nan ? Bits{0x7fffffff} : bits(least(single(a), single(b), minimum));
         },
         Values::Single},
        {op + ".xorsign.abs.f32", "r rr",
         [=](Bits a, Bits b, Bits) {
           const float x = least(std::fabs(single(a)), std::fabs(single(b)), minimum);
           return bits(std::signbit(single(a)) != std::signbit(single(b)) ? -x : x);
         },
         Values::Single},
        {op + ".f64 %o, %a, %b; setp.nan.f64 %qx, %o, %o; selp.b64 %o, 1, %o, %qx;", "d dd",
         [=](Bits a, Bits b, Bits) {
           const double x = least(twice(a), twice(b), minimum);
           return std::isnan(x) ? Bits{1} : bits(x);
         },
         Values::Double},
    });
  }
  check_all({
      {"neg.f32", "r r", [](Bits a, Bits, Bits) { return bits(-single(a)); }, Values::Single},
      {"abs.f64", "d d",
       [](Bits a, Bits, Bits) { return std::isnan(twice(a)) ? a : bits(std::fabs(twice(a))); },
       Values::Double},
      {"copysign.f32", "r rr", [](Bits a, Bits b, Bits) { return (b & 0x7fffffff) | (a & 0x80000000); },
       Values::Single},
  });
}

TEST(OpsFloat, QuickFunctions) {
  const auto wide = [](Bits a) { return static_cast<double>(single(a)); };
  const auto narrow = [](double x) { return bits(static_cast<float>(x)); };
  check_all({
      {"ex2.approx.f32", "r r", [=](Bits a, Bits, Bits) { return narrow(std::exp2(wide(a))); },
       Values::Single, 1},
      {"ex2.approx.ftz.f32", "r r",
       [=](Bits a, Bits, Bits) { return bits(flushed(static_cast<float>(std::exp2(wide(a))))); },
       Values::Single, 1},
      {"lg2.approx.f32", "r r", [=](Bits a, Bits, Bits) { return narrow(std::log2(wide(a))); },
       Values::Single, 1},
      {"sin.approx.f32", "r r", [=](Bits a, Bits, Bits) { return narrow(std::sin(wide(a))); }, Values::Single,
       1, 1e-9},
      {"cos.approx.f32", "r r", [=](Bits a, Bits, Bits) { return narrow(std::cos(wide(a))); }, Values::Single,
       1, 1e-9},
      {"tanh.approx.f32", "r r", [=](Bits a, Bits, Bits) { return narrow(std::tanh(wide(a))); },
       Values::Single, 1},
  });
}

}  // namespace
}  // namespace warplens::simt::test
