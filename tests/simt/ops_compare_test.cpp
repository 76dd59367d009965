#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/simt/ops/numeric.h"
#include "tests/simt/op_numbers.h"

namespace warplens::simt::test {
namespace {

// Compares as a spaceship would: -1, 0, 1, or 2 when unordered.
bool holds(const std::string& comparison, int order) {
  if (comparison == "num") return order != 2;
  if (comparison == "nan") return order == 2;
  const bool unordered = comparison.size() == 3 && comparison.back() == 'u';
  if (order == 2) return unordered;
  const std::string plain = comparison.substr(0, 2);
  if (plain == "eq") return order == 0;
  if (plain == "ne") return order != 0;
  if (plain == "lt" || plain == "lo") return order < 0;
  if (plain == "le" || plain == "ls") return order <= 0;
  if (plain == "gt" || plain == "hi") return order > 0;
  return order >= 0;
}
template <typename T>
int order_of(T a, T b) {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}

struct Compared {
  std::string type;
  int bits;
  Values values;
  std::function<int(Bits, Bits)> order;
};

double wide(Bits bits, FloatFormat format) {
  return std::bit_cast<double>(pack(unpack(bits, format), kDouble, Rounding::Nearest));
}
float flushed(Bits a) {
  const float x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

std::vector<Compared> compared_types() {
  std::vector<Compared> all;
  for (const int bits : {16, 32, 64}) {
    const std::string n = std::to_string(bits);
    all.push_back({".u" + n, bits, Values::Integer, [](Bits a, Bits b) { return order_of(a, b); }});
    all.push_back(
        {".s" + n, bits, Values::Integer, [=](Bits a, Bits b) { return order_of(s(a, bits), s(b, bits)); }});
  }
  const auto floats = [&](const char* type, int bits, Values values, FloatFormat format) {
    all.push_back(
        {type, bits, values, [=](Bits a, Bits b) { return order_of(wide(a, format), wide(b, format)); }});
  };
  floats(".f16", 16, Values::Half, kHalf);
  floats(".bf16", 16, Values::Bfloat, kBfloat);
  floats(".f32", 32, Values::Single, kSingle);
  floats(".f64", 64, Values::Double, kDouble);
  all.push_back(
      {".ftz.f32", 32, Values::Single, [](Bits a, Bits b) { return order_of(flushed(a), flushed(b)); }});
  return all;
}

TEST(OpsCompare, EveryComparisonOfEveryType) {
  for (const Compared& type : compared_types()) {
    std::vector<std::string> names{"eq", "ne", "lt", "le", "gt", "ge"};
    if (type.type[1] == 'u') names.insert(names.end(), {"lo", "ls", "hi", "hs"});
    if (type.values != Values::Integer)
      names.insert(names.end(), {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
    const char r = letter(type.bits);
    for (const std::string& name : names)
      check({"setp." + name + type.type,
             {'p', ' ', r, r},
             [=](Bits a, Bits b, Bits) { return Bits{holds(name, type.order(a, b))}; },
             type.values});
  }
}

TEST(OpsCompare, CombinesAndComplements) {
  const auto less = [](Bits a, Bits b) { return s(a, 32) < s(b, 32); };
  check_all({
      {"setp.lt.and.s32", "p rrp", [=](Bits a, Bits b, Bits c) { return Bits{less(a, b) && c}; }},
      {"setp.lt.or.s32 %o, %a, %b, !%qc;", "p rrp",
       [=](Bits a, Bits b, Bits c) { return Bits{less(a, b) || !c}; }},
      {"setp.lt.xor.s32", "p rrp", [=](Bits a, Bits b, Bits c) { return Bits{less(a, b) != (c != 0)}; }},
      {"setp.lt.s32 %qx|%o, %a, %b;", "p rr", [=](Bits a, Bits b, Bits) { return Bits{!less(a, b)}; }},
      {"setp.lt.and.s32 %qx|%o, %a, %b, %c;", "p rrp",
       [=](Bits a, Bits b, Bits c) { return Bits{!less(a, b) && c}; }},
  });
}

TEST(OpsCompare, PackedHalves) {
  const auto half = [](Bits a, int i) { return wide(a >> 16 * i & 0xffff, kHalf); };
  check_all({
      {"setp.lt.f16x2 %o|%qx, %a, %b;", "p rr",
       [=](Bits a, Bits b, Bits) { return Bits{half(a, 0) < half(b, 0)}; }, Values::Half},
      {"setp.geu.f16x2 %qx|%o, %a, %b;", "p rr",
       [=](Bits a, Bits b, Bits) { return Bits{!(half(a, 1) < half(b, 1))}; }, Values::Half},
      {"set.gt.f16x2.f16x2", "r rr",
       [=](Bits a, Bits b, Bits) {
         return Bits{half(a, 0) > half(b, 0) ? 0x3c00u : 0u} |
                Bits{half(a, 1) > half(b, 1) ? 0x3c000000u : 0u};
       },
       Values::Half},
  });
}

TEST(OpsCompare, Sets) {
  check_all({
      {"set.lt.u32.s32", "r rr", [](Bits a, Bits b, Bits) { return s(a, 32) < s(b, 32) ? ~Bits{0} : 0; }},
      {"set.ge.f32.f32", "r rr",
       [=](Bits a, Bits b, Bits) { return single(a) >= single(b) ? Bits{0x3f800000} : 0; }, Values::Single},
      {"set.eq.and.u32.u64", "r ddp", [](Bits a, Bits b, Bits c) { return a == b && c ? ~Bits{0} : 0; }},
  });
}

TEST(OpsCompare, Selects) {
  check_all({
      {"selp.b16", "h hhp", [](Bits a, Bits b, Bits c) { return c ? a : b; }},
      {"selp.f32", "r rrp", [](Bits a, Bits b, Bits c) { return c ? a : b; }},
      {"selp.b64 %o, %a, %b, !%qc;", "d ddp", [](Bits a, Bits b, Bits c) { return c ? b : a; }},
      {"slct.u64.s32", "d ddr", [](Bits a, Bits b, Bits c) { return s(c, 32) >= 0 ? a : b; }},
      {"slct.b32.f32", "r rrr", [=](Bits a, Bits b, Bits c) { return single(c) >= 0 ? a : b; },
       Values::Single},
  });
}

TEST(OpsCompare, TestsOfFloats) {
  const auto kind = [](Bits a) {
    return std::fpclassify(std::bit_cast<float>(static_cast<std::uint32_t>(a)));
  };
  check_all({
      {"testp.finite.f32", "p r",
       [=](Bits a, Bits, Bits) { return Bits{kind(a) != FP_NAN && kind(a) != FP_INFINITE}; }, Values::Single},
      {"testp.infinite.f32", "p r", [=](Bits a, Bits, Bits) { return Bits{kind(a) == FP_INFINITE}; },
       Values::Single},
      {"testp.notanumber.f32", "p r", [=](Bits a, Bits, Bits) { return Bits{kind(a) == FP_NAN}; },
       Values::Single},
      {"testp.subnormal.f32", "p r", [=](Bits a, Bits, Bits) { return Bits{kind(a) == FP_SUBNORMAL}; },
       Values::Single},
      {"testp.number.f64", "p d",
       [](Bits a, Bits, Bits) { return Bits{!std::isnan(std::bit_cast<double>(a))}; }, Values::Double},
  });
}

}  // namespace
}  // namespace warplens::simt::test
