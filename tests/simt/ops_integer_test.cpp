#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/simt/op_numbers.h"

namespace warplens::simt::test {
namespace {

// The forms that exist for all six integer types, in plain 128-bit arithmetic.
std::vector<OpCase> cases_of(int bits, bool is_signed) {
  const std::string type = (is_signed ? ".s" : ".u") + std::to_string(bits);
  const char r = letter(bits);
  const std::string two{r, ' ', r, r}, three{r, ' ', r, r, r}, one{r, ' ', r};
  const auto n = [=](Bits x) { return number(x, bits, is_signed); };
  const auto binary = [=](const std::string& op, auto f) {
    return OpCase{op + type, two, [=](Bits a, Bits b, Bits) { return static_cast<Bits>(f(n(a), n(b))); }};
  };
  const auto ternary = [=](const std::string& op, auto f) {
    return OpCase{op + type, three,
                  [=](Bits a, Bits b, Bits c) { return static_cast<Bits>(f(n(a), n(b), n(c))); }};
  };
  std::vector<OpCase> cases{
      binary("add", [](Wide a, Wide b) { return a + b; }),
      binary("sub", [](Wide a, Wide b) { return a - b; }),
      binary("mul.lo", [](Wide a, Wide b) { return static_cast<Bits>(a) * static_cast<Bits>(b); }),
      binary("mul.hi",
             [=](Wide a, Wide b) {
               if (bits == 64 && !is_signed)
                 return static_cast<Wide>(
                     static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) >> 64);
               return a * b >> bits;
             }),
      binary("min", [](Wide a, Wide b) { return std::min(a, b); }),
      binary("max", [](Wide a, Wide b) { return std::max(a, b); }),
      binary("div", [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; }),
      binary("rem", [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a % b; }),
      ternary("mad.lo",
              [](Wide a, Wide b, Wide c) {
                return static_cast<Bits>(a) * static_cast<Bits>(b) + static_cast<Bits>(c);
              }),
      ternary("sad", [](Wide a, Wide b, Wide c) { return c + (a > b ? a - b : b - a); }),
  };
  if (is_signed) {
    cases.push_back({"neg" + type, one, [=](Bits a, Bits, Bits) { return static_cast<Bits>(-n(a)); }});
    cases.push_back(
        {"abs" + type, one, [=](Bits a, Bits, Bits) { return static_cast<Bits>(n(a) < 0 ? -n(a) : n(a)); }});
  }
  if (bits < 64) {
    const char w = letter(2 * bits);
    cases.push_back({"mul.wide" + type, {w, ' ', r, r}, [=](Bits a, Bits b, Bits) {
                       return static_cast<Bits>(n(a) * n(b));
                     }});
    cases.push_back({"mad.wide" + type, {w, ' ', r, r, w}, [=](Bits a, Bits b, Bits c) {
                       return static_cast<Bits>(n(a) * n(b)) + c;
                     }});
    cases.push_back(ternary("mad.hi", [=](Wide a, Wide b, Wide c) { return (a * b >> bits) + c; }));
  }
  return cases;
}

// All lanes divide by the same number.
TEST(OpsInteger, DivisionsByOneNumber) {
  for (const std::int64_t by : {1LL, 2LL, 3LL, 7LL, 33LL, 1000LL, 65535LL, 65537LL, 1048576LL, 2147483647LL,
                                2147483648LL, 4294967291LL, 4294967295LL, -1LL, -3LL, -10LL, -2147483647LL}) {
    for (const bool is_signed : {false, true}) {
      const auto n = [=](Bits x) { return number(x, 32, is_signed); };
      const Wide divisor = n(static_cast<std::uint32_t>(by));
      for (const bool remainder : {false, true}) {
        const std::string op = std::string(remainder ? "rem" : "div") + (is_signed ? ".s32" : ".u32");
        check({op + " %o, %a, " + std::to_string(static_cast<std::int32_t>(by)) + ";", "r r",
               [=](Bits a, Bits, Bits) {
                 return static_cast<Bits>(remainder ? n(a) % divisor : n(a) / divisor);
               }});
      }
    }
  }
}

TEST(OpsInteger, ArithmeticOfEveryWidth) {
  for (const int bits : {16, 32, 64})
    for (const bool is_signed : {false, true}) check_all(cases_of(bits, is_signed));
}

TEST(OpsInteger, Saturates) {
  const auto clamp = [](std::int64_t x) {
    return static_cast<Bits>(
        std::clamp<std::int64_t>(x, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  };
  check_all({{"add.sat.s32", "r rr", [=](Bits a, Bits b, Bits) { return clamp(s(a, 32) + s(b, 32)); }},
             {"sub.sat.s32", "r rr", [=](Bits a, Bits b, Bits) { return clamp(s(a, 32) - s(b, 32)); }},
             {"mad.hi.sat.s32", "r rrr",
              [=](Bits a, Bits b, Bits c) { return clamp((s(a, 32) * s(b, 32) >> 32) + s(c, 32)); }}});
}

// A chain of carries adds two 128-bit numbers: (b:a) + (c:b), high word out.
TEST(OpsInteger, CarriesChain) {
  using Unsigned = unsigned __int128;
  const auto join = [](Bits high, Bits low) { return Unsigned{high} << 64 | low; };
  check_all({
      {"add.cc.u64 %dx, %a, %b; addc.u64 %o, %b, %c;", "d ddd",
       [=](Bits a, Bits b, Bits c) { return static_cast<Bits>((join(b, a) + join(c, b)) >> 64); }},
      {"sub.cc.u64 %dx, %a, %b; subc.u64 %o, %b, %c;", "d ddd",
       [=](Bits a, Bits b, Bits c) { return static_cast<Bits>((join(b, a) - join(c, b)) >> 64); }},
      {"add.cc.u32 %rx, %a, %b; addc.cc.u32 %ry, %b, %c; addc.u32 %o, 0, 0;", "r rrr",
       [](Bits a, Bits b, Bits c) { return ((b << 32 | a) > ~(c << 32 | b)) ? Bits{1} : Bits{0}; }},
      {"mad.lo.cc.u32 %rx, %a, %b, %c; madc.hi.u32 %o, %a, %b, %c;", "r rrr",
       [](Bits a, Bits b, Bits c) {
         return static_cast<Bits>((Unsigned{a} * b + (Unsigned{c} << 32 | c)) >> 32);
       }},
  });
}

TEST(OpsInteger, TwentyFourBits) {
  const auto u24 = [](Bits x) { return x & 0xffffff; };
  const auto s24 = [](Bits x) { return s(x, 24); };
  check_all({
      {"mul24.lo.u32", "r rr", [=](Bits a, Bits b, Bits) { return u24(a) * u24(b); }},
      {"mul24.hi.u32", "r rr", [=](Bits a, Bits b, Bits) { return u24(a) * u24(b) >> 16; }},
      {"mul24.lo.s32", "r rr", [=](Bits a, Bits b, Bits) { return static_cast<Bits>(s24(a) * s24(b)); }},
      {"mul24.hi.s32", "r rr",
       [=](Bits a, Bits b, Bits) { return static_cast<Bits>(s24(a) * s24(b) >> 16); }},
      {"mad24.lo.s32", "r rrr",
       [=](Bits a, Bits b, Bits c) { return static_cast<Bits>(s24(a) * s24(b)) + c; }},
  });
}

TEST(OpsInteger, DotProducts) {
  const auto dot4 = [](Bits a, Bits b, bool sa, bool sb) {
    std::int64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      const Bits x = a >> 8 * i & 255, y = b >> 8 * i & 255;
      sum += (sa ? s(x, 8) : static_cast<std::int64_t>(x)) * (sb ? s(y, 8) : static_cast<std::int64_t>(y));
    }
    return static_cast<Bits>(sum);
  };
  check_all({
      {"dp4a.u32.u32", "r rrr", [=](Bits a, Bits b, Bits c) { return c + dot4(a, b, false, false); }},
      {"dp4a.s32.s32", "r rrr", [=](Bits a, Bits b, Bits c) { return c + dot4(a, b, true, true); }},
      {"dp4a.u32.s32", "r rrr", [=](Bits a, Bits b, Bits c) { return c + dot4(a, b, false, true); }},
      {"dp2a.lo.s32.s32", "r rrr",
       [](Bits a, Bits b, Bits c) {
         return c + static_cast<Bits>(s(a, 16) * s(b, 8) + s(a >> 16, 16) * s(b >> 8, 8));
       }},
      {"dp2a.hi.u32.s32", "r rrr",
       [](Bits a, Bits b, Bits c) {
         return c + static_cast<Bits>(static_cast<std::int64_t>(a & 0xffff) * s(b >> 16, 8) +
                                      static_cast<std::int64_t>(a >> 16) * s(b >> 24, 8));
       }},
  });
}

TEST(OpsInteger, PackedHalves) {
  const auto each = [](Bits a, Bits b, auto f) {
    return (static_cast<Bits>(f(a & 0xffff, b & 0xffff)) & 0xffff) |
           (static_cast<Bits>(f(a >> 16, b >> 16)) & 0xffff) << 16;
  };
  check_all({
      {"add.u16x2", "r rr",
       [=](Bits a, Bits b, Bits) { return each(a, b, [](Bits x, Bits y) { return x + y; }); }},
      {"min.s16x2", "r rr",
       [=](Bits a, Bits b, Bits) {
         return each(a, b, [](Bits x, Bits y) { return std::min(s(x, 16), s(y, 16)); });
       }},
      {"max.relu.s16x2", "r rr",
       [=](Bits a, Bits b, Bits) {
         return each(a, b, [](Bits x, Bits y) { return std::max<std::int64_t>({s(x, 16), s(y, 16), 0}); });
       }},
  });
}

TEST(OpsInteger, VideoInstructions) {
  const auto byte = [](Bits x, int i) { return static_cast<std::int64_t>(x >> 8 * i & 255); };
  check_all({
      {"vabsdiff4.u32.u32.u32", "r rrr",
       [=](Bits a, Bits b, Bits) {
         Bits out = 0;
         for (int i = 0; i < 4; ++i) out |= static_cast<Bits>(std::abs(byte(a, i) - byte(b, i))) << 8 * i;
         return out;
       }},
      {"vabsdiff4.u32.u32.u32.add", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         for (int i = 0; i < 4; ++i) c += static_cast<Bits>(std::abs(byte(a, i) - byte(b, i)));
         return c;
       }},
      {"vadd2.s32.s32.s32.sat", "r rrr",
       [](Bits a, Bits b, Bits) {
         const auto sum = [](Bits x, Bits y) {
           return static_cast<Bits>(std::clamp<std::int64_t>(s(x, 16) + s(y, 16), -32768, 32767)) & 0xffff;
         };
         return sum(a, b) | sum(a >> 16, b >> 16) << 16;
       }},
      {"vset4.u32.u32.eq", "r rrr",
       [=](Bits a, Bits b, Bits) {
         Bits out = 0;
         for (int i = 0; i < 4; ++i) out |= Bits{byte(a, i) == byte(b, i)} << 8 * i;
         return out;
       }},
      {"vset4.s32.u32.lt.add", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         for (int i = 0; i < 4; ++i) c += s(a >> 8 * i, 8) < byte(b, i) ? 1 : 0;
         return c;
       }},
      {"vset2.s32.s32.ge", "r rrr",
       [](Bits a, Bits b, Bits) {
         return Bits{s(a, 16) >= s(b, 16)} | Bits{s(a >> 16, 16) >= s(b >> 16, 16)} << 16;
       }},
  });
}

}  // namespace
}  // namespace warplens::simt::test
