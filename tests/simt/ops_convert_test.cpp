#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/simt/ops/numeric.h"
#include "tests/simt/op_numbers.h"

namespace warplens::simt::test {
namespace {

struct Integer {
  int bits;
  bool is_signed;
  std::string name() const { return (is_signed ? ".s" : ".u") + std::to_string(bits); }
  Wide least() const { return is_signed ? -(Wide{1} << (bits - 1)) : 0; }
  Wide greatest() const { return (Wide{1} << (is_signed ? bits - 1 : bits)) - 1; }
};
std::vector<Integer> integers() {
  std::vector<Integer> all;
  for (const int bits : {8, 16, 32, 64})
    for (const bool is_signed : {false, true}) all.push_back({bits, is_signed});
  return all;
}

TEST(OpsConvert, IntegersToIntegers) {
  for (const Integer& to : integers())
    for (const Integer& from : integers()) {
      const std::string signature{letter(to.bits), ' ', letter(from.bits)};
      const auto value = [=](Bits a) { return number(a, from.bits, from.is_signed); };
      // Registers wider than the destination's type are filled by extension.
      check({"cvt" + to.name() + from.name(), signature, [=](Bits a, Bits, Bits) {
               return static_cast<Bits>(number(static_cast<Bits>(value(a)), to.bits, to.is_signed));
             }});
      if (to.bits > from.bits || (to.bits == from.bits && to.is_signed == from.is_signed)) continue;
      check({"cvt.sat" + to.name() + from.name(), signature, [=](Bits a, Bits, Bits) {
               return static_cast<Bits>(std::clamp(value(a), to.least(), to.greatest()));
             }});
    }
}

TEST(OpsConvert, WideRegistersHoldNarrowTypes) {
  check_all({
      {"cvt.u32.u8", "r r", [](Bits a, Bits, Bits) { return a & 255; }},
      {"cvt.s32.s8", "r r", [](Bits a, Bits, Bits) { return static_cast<Bits>(s(a, 8)); }},
      {"cvt.s64.s16", "d r", [](Bits a, Bits, Bits) { return static_cast<Bits>(s(a, 16)); }},
      {"cvt.u16.u32 %o, 70000;", "h", [](Bits, Bits, Bits) { return Bits{70000 & 0xffff}; }},
  });
}

double rounded(double x, const std::string& mode) {
  if (mode == "rni") return std::nearbyint(x);
  if (mode == "rzi") return std::trunc(x);
  return mode == "rmi" ? std::floor(x) : std::ceil(x);
}

// NaN is zero, except where a 64-bit type takes part.
Bits clamped(double x, const Integer& to, bool wide) {
  if (std::isnan(x)) return wide || to.bits == 64 ? Bits{1} << (to.bits - 1) : 0;
  const double least = std::ldexp(to.is_signed ? -1.0 : 0.0, to.bits - 1),
               above = std::ldexp(1.0, to.is_signed ? to.bits - 1 : to.bits);
  if (x <= least) return static_cast<Bits>(to.least());
  return x >= above ? static_cast<Bits>(to.greatest()) : static_cast<Bits>(static_cast<Wide>(x));
}

TEST(OpsConvert, FloatsToIntegers) {
  for (const std::string mode : {"rni", "rzi", "rmi", "rpi"})
    for (const Integer& to : integers()) {
      const char r = letter(to.bits);
      const auto extended = [=](Bits x) { return static_cast<Bits>(number(x, to.bits, to.is_signed)); };
      check_all({{"cvt." + mode + to.name() + ".f32",
                  {r, ' ', 'r'},
                  [=](Bits a, Bits, Bits) {
                    return extended(clamped(rounded(static_cast<double>(single(a)), mode), to, false));
                  },
                  Values::Single},
                 {"cvt." + mode + to.name() + ".f64",
                  {r, ' ', 'd'},
                  [=](Bits a, Bits, Bits) {
                    return extended(clamped(rounded(std::bit_cast<double>(a), mode), to, true));
                  },
                  Values::Double},
                 {"cvt." + mode + to.name() + ".f16",
                  {r, ' ', 'h'},
                  [=](Bits a, Bits, Bits) {
                    const double x =
                        std::bit_cast<double>(pack(unpack(a, kHalf), kDouble, Rounding::Nearest));
                    return extended(clamped(rounded(x, mode), to, false));
                  },
                  Values::Half}});
    }
}

TEST(OpsConvert, IntegersToFloats) {
  for (const Integer& from : integers()) {
    const std::string signature{'r', ' ', letter(from.bits)}, wide{'d', ' ', letter(from.bits)};
    const auto value = [=](Bits a) { return number(a, from.bits, from.is_signed); };
    const auto toward = [=](Bits a, bool up) {
      // The nearest float, moved by one when it lies on the wrong side.
      const Wide exact = value(a);
      float x = static_cast<float>(exact);
      if (up ? static_cast<Wide>(x) < exact : static_cast<Wide>(x) > exact)
        x = std::nextafter(
            x, up ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity());
      return bits(x);
    };
    check_all({{"cvt.rn.f32" + from.name(), signature,
                [=](Bits a, Bits, Bits) { return bits(static_cast<float>(value(a))); }},
               {"cvt.rp.f32" + from.name(), signature, [=](Bits a, Bits, Bits) { return toward(a, true); }},
               {"cvt.rm.f32" + from.name(), signature, [=](Bits a, Bits, Bits) { return toward(a, false); }},
               {"cvt.rn.f64" + from.name(), wide,
                [=](Bits a, Bits, Bits) { return bits(static_cast<double>(value(a))); }},
               {"cvt.rn.f16" + from.name(), {'h', ' ', letter(from.bits)}, [=](Bits a, Bits, Bits) {
                  return pack(unpack(bits(static_cast<double>(value(a))), kDouble), kHalf, Rounding::Nearest);
                }}});
  }
}

TEST(OpsConvert, RoundsToIntegralFloats) {
  for (const std::string mode : {"rni", "rzi", "rmi", "rpi"})
    check_all({{"cvt." + mode + ".f32.f32", "r r",
                [=](Bits a, Bits, Bits) {
                  return bits(static_cast<float>(rounded(static_cast<double>(single(a)), mode)));
                },
                Values::Single},
               {"cvt." + mode + ".f64.f64 %o, %a; setp.nan.f64 %qx, %o, %o; selp.b64 %o, 1, %o, %qx;", "d d",
                [=](Bits a, Bits, Bits) {
                  const double x = rounded(std::bit_cast<double>(a), mode);
                  return std::isnan(x) ? Bits{1} : bits(x);
                },
                Values::Double},
               {"cvt." + mode + ".f16.f16", "h h",
                [=](Bits a, Bits, Bits) {
                  const double x = std::bit_cast<double>(pack(unpack(a, kHalf), kDouble, Rounding::Nearest));
                  return pack(unpack(bits(rounded(x, mode)), kDouble), kHalf, Rounding::Nearest);
                },
                Values::Half}});
}

// Through tables of all values of a small format: the nearest one is searched for.
Bits nearest(double x, FloatFormat format, Bits largest) {
  if (std::isnan(x)) return (Bits{1} << (format.bits() - 1)) - 1;
  const Bits sign = std::signbit(x) ? Bits{1} << (format.bits() - 1) : 0;
  const double magnitude = std::fabs(x);
  const auto value = [&](Bits b) {
    const int field = static_cast<int>(b >> format.mantissa_bits);
    const double mantissa = static_cast<double>(b & ((Bits{1} << format.mantissa_bits) - 1));
    const double scale = std::ldexp(1.0, (field == 0 ? 1 : field) - format.bias() - format.mantissa_bits);
    return (field == 0 ? mantissa : mantissa + std::ldexp(1.0, format.mantissa_bits)) * scale;
  };
  Bits low = 0, high = largest;  // the last one not above x
  while (low < high) {
    const Bits middle = (low + high + 1) / 2;
    value(middle) <= magnitude ? low = middle : high = middle - 1;
  }
  const double below = magnitude - value(low), above = value(low + 1) - magnitude;
  const bool up = above < below || (above == below && (low & 1));
  return sign | (low + up);
}

// From double precision NaN keeps its sign and the top of its payload: measured on an H200.
Bits kept_nan(Bits a, int mantissa_bits) {
  const Bits sign = a >> 63 << (mantissa_bits == 10 ? 15 : 31);
  const Bits exponent = mantissa_bits == 10 ? 0x7c00 : 0x7f800000;
  return sign | exponent | (a & 0xfffffffffffff) >> (52 - mantissa_bits);
}

TEST(OpsConvert, NarrowFloats) {
  const auto half = [](Bits a) { return nearest(static_cast<double>(single(a)), kHalf, 0x7bff); };
  const auto bfloat = [](Bits a) { return nearest(static_cast<double>(single(a)), kBfloat, 0x7f7f); };
  const auto exact = [](Bits a, FloatFormat format) {
    return bits(
        static_cast<float>(std::bit_cast<double>(pack(unpack(a, format), kDouble, Rounding::Nearest))));
  };
  const auto relu = [](Bits h) { return h > 0x8000 ? Bits{0} : h & 0x7fff; };
  check_all({
      {"cvt.rn.f16.f32", "h r", [=](Bits a, Bits, Bits) { return half(a); }, Values::Single},
      {"cvt.rn.bf16.f32", "h r", [=](Bits a, Bits, Bits) { return bfloat(a); }, Values::Single},
      {"cvt.f32.f16", "r h", [=](Bits a, Bits, Bits) { return exact(a, kHalf); }, Values::Half},
      {"cvt.f32.bf16", "r h", [=](Bits a, Bits, Bits) { return a << 16; }, Values::Bfloat},
      {"cvt.rn.f16x2.f32", "r rr", [=](Bits a, Bits b, Bits) { return half(a) << 16 | half(b); },
       Values::Single},
      {"cvt.rn.bf16x2.f32", "r rr", [=](Bits a, Bits b, Bits) { return bfloat(a) << 16 | bfloat(b); },
       Values::Single},
      {"cvt.rn.relu.f16x2.f32", "r rr",
       [=](Bits a, Bits b, Bits) { return relu(half(a)) << 16 | relu(half(b)); }, Values::Single},
      {"cvt.rn.f16.f64", "h d",
       [](Bits a, Bits, Bits) {
         const double x = std::bit_cast<double>(a);
         return std::isnan(x) ? kept_nan(a, 10) : nearest(x, kHalf, 0x7bff);
       },
       Values::Double},
      {"cvt.rn.f32.f64", "r d",
       [](Bits a, Bits, Bits) {
         const double x = std::bit_cast<double>(a);
         return std::isnan(x) ? kept_nan(a, 23) : bits(static_cast<float>(x));
       },
       Values::Double},
      {"cvt.rn.satfinite.e4m3x2.f32", "h rr",
       [](Bits a, Bits b, Bits) {
         const auto narrow = [](float x) {
           const float bounded = std::isnan(x) ? x : std::clamp(x, -448.0f, 448.0f);
           return nearest(static_cast<double>(bounded), kE4m3, 0x7e);
         };
         return narrow(single(a)) << 8 | narrow(single(b));
       },
       Values::Single},
      {"cvt.rn.f16x2.e5m2x2", "r h",
       [](Bits a, Bits, Bits) {
         const auto widen = [](Bits x) { return (x & 0x7f) > 0x7c ? Bits{0x7fff} : x << 8; };
         return widen(a >> 8) << 16 | widen(a & 255);
       }},
  });
}

TEST(OpsConvert, SaturatesAndFlushes) {
  const auto saturated = [](float x) { return x >= 1 ? 1.0f : x > 0 ? x : 0.0f; };
  check_all({
      {"cvt.sat.f32.f32", "r r", [=](Bits a, Bits, Bits) { return bits(saturated(single(a))); },
       Values::Single},
      {"cvt.rn.sat.f32.f64", "r d",
       [=](Bits a, Bits, Bits) { return bits(saturated(static_cast<float>(std::bit_cast<double>(a)))); },
       Values::Double},
      {"cvt.rna.tf32.f32", "r r",
       [](Bits a, Bits, Bits) {
         if (std::isnan(single(a))) return a & 0xffffe000;
         return (a & 0x7f800000) == 0x7f800000 ? a : (a + 0x1000) & ~Bits{0x1fff};
       },
       Values::Single},
      {"cvt.pack.sat.u8.s32.b32", "r rrr",
       [](Bits a, Bits b, Bits c) {
         const auto byte = [](Bits x) {
           return static_cast<Bits>(std::clamp<std::int64_t>(s(x, 32), 0, 255));
         };
         return c << 16 | byte(a) << 8 | byte(b);
       }},
  });
}

}  // namespace
}  // namespace warplens::simt::test
