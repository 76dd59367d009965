#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/simt/op_numbers.h"

namespace warplens::simt::test {
namespace {

Bits ones(Bits n) {
  return n >= 64 ? ~Bits{0} : (Bits{1} << n) - 1;
}
bool bit(Bits x, Bits i) {
  return i < 64 && (x >> i & 1) != 0;
}

TEST(OpsBits, LogicAndShiftsOfEveryWidth) {
  for (const int bits : {16, 32, 64}) {
    const std::string n = std::to_string(bits);
    const char r = letter(bits);
    const std::string two{r, ' ', r, r}, one{r, ' ', r}, shift{r, ' ', r, 'r'};
    const auto width = static_cast<Bits>(bits);
    check_all({
        {"and.b" + n, two, [](Bits a, Bits b, Bits) { return a & b; }},
        {"or.b" + n, two, [](Bits a, Bits b, Bits) { return a | b; }},
        {"xor.b" + n, two, [](Bits a, Bits b, Bits) { return a ^ b; }},
        {"not.b" + n, one, [](Bits a, Bits, Bits) { return ~a; }},
        {"cnot.b" + n, one, [](Bits a, Bits, Bits) { return Bits{a == 0}; }},
        {"shl.b" + n, shift, [=](Bits a, Bits b, Bits) { return b >= width ? 0 : a << b; }},
        {"shr.u" + n, shift, [=](Bits a, Bits b, Bits) { return b >= width ? 0 : a >> b; }},
        {"shr.b" + n, shift, [=](Bits a, Bits b, Bits) { return b >= width ? 0 : a >> b; }},
        {"shr.s" + n, shift,
         [=](Bits a, Bits b, Bits) { return static_cast<Bits>(s(a, bits) >> std::min<Bits>(b, 63)); }},
    });
  }
}

TEST(OpsBits, CountsAndFinds) {
  for (const int bits : {32, 64}) {
    const std::string n = std::to_string(bits);
    const char r = letter(bits);
    const std::string count{'r', ' ', r}, one{r, ' ', r};
    const auto highest = [](Bits x) { return x == 0 ? ~Bits{0} : Bits(63 - std::countl_zero(x)); };
    const auto magnitude = [=](Bits a) { return s(a, bits) < 0 ? ~a & ones(bits) : a; };
    const auto amount = [=](Bits position) { return position == ~Bits{0} ? position : bits - 1 - position; };
    check_all({
        {"popc.b" + n, count, [](Bits a, Bits, Bits) { return Bits(std::popcount(a)); }},
        {"clz.b" + n, count, [=](Bits a, Bits, Bits) { return Bits(std::countl_zero(a) - (64 - bits)); }},
        {"brev.b" + n, one,
         [=](Bits a, Bits, Bits) {
           Bits out = 0;
           for (int i = 0; i < bits; ++i) out |= Bits{bit(a, i)} << (bits - 1 - i);
           return out;
         }},
        {"bfind.u" + n, count, [=](Bits a, Bits, Bits) { return highest(a); }},
        {"bfind.s" + n, count, [=](Bits a, Bits, Bits) { return highest(magnitude(a)); }},
        {"bfind.shiftamt.u" + n, count, [=](Bits a, Bits, Bits) { return amount(highest(a)); }},
        {"bfind.shiftamt.s" + n, count, [=](Bits a, Bits, Bits) { return amount(highest(magnitude(a))); }},
    });
  }
}

// 32-bit fields take the low byte of positions and lengths, 64-bit fields all of it: measured on an H200.
Bits amount(Bits n, int bits) {
  return bits == 32 ? n & 255 : std::min<Bits>(n, 255);
}

// As the PTX document writes it, bit by bit.
Bits extracted(Bits a, Bits b, Bits c, int bits, bool is_signed) {
  const Bits position = amount(b, bits), length = amount(c, bits), top = static_cast<Bits>(bits) - 1;
  const bool sign = is_signed && length != 0 && bit(a, std::min(position + length - 1, top));
  Bits out = 0;
  for (Bits i = 0; i <= top; ++i) {
    const bool inside = i < length && position + i <= top;
    out |= Bits{inside ? bit(a, position + i) : sign} << i;
  }
  return out;
}
Bits inserted(Bits a, Bits b, Bits c, Bits length, int bits) {
  const Bits position = amount(c, bits);
  Bits out = b;
  for (Bits i = 0; i < amount(length, bits) && position + i < static_cast<Bits>(bits); ++i)
    out = (out & ~(Bits{1} << (position + i))) | Bits{bit(a, i)} << (position + i);
  return out;
}

TEST(OpsBits, Fields) {
  for (const Values values : {Values::Integer, Values::Small})
    for (const int bits : {32, 64}) {
      const std::string n = std::to_string(bits);
      const char r = letter(bits);
      const std::string three{r, ' ', r, 'r', 'r'}, insert{r, ' ', r, r, 'r'};
      check_all({
          {"bfe.u" + n, three, [=](Bits a, Bits b, Bits c) { return extracted(a, b, c, bits, false); },
           values},
          {"bfe.s" + n, three, [=](Bits a, Bits b, Bits c) { return extracted(a, b, c, bits, true); },
           values},
          {"bfi.b" + n + " %o, %a, %b, %c, 9;", insert,
           [=](Bits a, Bits b, Bits c) { return inserted(a, b, c, 9, bits); }, values},
          {"bfi.b" + n + " %o, %a, %b, 5, %c;", insert,
           [=](Bits a, Bits b, Bits c) { return inserted(a, b, 5, c, bits); }, values},
      });
    }
}

TEST(OpsBits, FunnelShiftsMasksAndExtensions) {
  const auto left = [](Bits a, Bits b, Bits n) { return n >= 32 ? a : (b << 32 | a) << n >> 32; };
  const auto right = [](Bits a, Bits b, Bits n) { return (b << 32 | a) >> std::min<Bits>(n, 32); };
  const auto mask = [](Bits position, Bits n) {
    return position >= 32 ? Bits{0} : ones(std::min<Bits>(n, 32)) << position;
  };
  for (const Values values : {Values::Integer, Values::Small})
    check_all({
        {"shf.l.wrap.b32", "r rrr", [=](Bits a, Bits b, Bits c) { return left(a, b, c & 31); }, values},
        {"shf.l.clamp.b32", "r rrr", [=](Bits a, Bits b, Bits c) { return left(a, b, c); }, values},
        {"shf.r.wrap.b32", "r rrr", [=](Bits a, Bits b, Bits c) { return right(a, b, c & 31); }, values},
        {"shf.r.clamp.b32", "r rrr", [=](Bits a, Bits b, Bits c) { return right(a, b, c); }, values},
        {"bmsk.clamp.b32", "r rr", [=](Bits a, Bits b, Bits) { return mask(a, b); }, values},
        {"bmsk.wrap.b32", "r rr", [=](Bits a, Bits b, Bits) { return mask(a & 31, b & 31); }, values},
        {"szext.clamp.u32", "r rr", [=](Bits a, Bits b, Bits) { return a & ones(std::min<Bits>(b, 32)); },
         values},
        {"szext.wrap.s32", "r rr",
         [=](Bits a, Bits b, Bits) {
           return (b & 31) == 0 ? Bits{0} : static_cast<Bits>(s(a, static_cast<int>(b & 31)));
         },
         values},
    });
}

TEST(OpsBits, Permutes) {
  const auto byte = [](Bits a, Bits b, Bits n) { return (n < 4 ? a >> 8 * n : b >> 8 * (n - 4)) & 255; };
  const auto pick = [=](Bits a, Bits b, std::initializer_list<Bits> from) {
    Bits out = 0, i = 0;
    for (const Bits n : from) out |= byte(a, b, n) << 8 * i++;
    return out;
  };
  check_all({
      {"prmt.b32", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         Bits out = 0;
         for (Bits i = 0; i < 4; ++i) {
           const Bits selector = c >> 4 * i & 15, value = byte(a, b, selector & 7);
           out |= (selector < 8 ? value : value >= 128 ? 255 : 0) << 8 * i;
         }
         return out;
       }},
      {"prmt.b32.f4e", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         const Bits n = c & 3;
         return pick(a, b, {n, n + 1, n + 2, n + 3});
       }},
      {"prmt.b32.b4e", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         const Bits n = c & 3;
         return pick(a, b, {n, (n + 7) % 8, (n + 6) % 8, (n + 5) % 8});
       }},
      {"prmt.b32.rc8", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         const Bits n = c & 3;
         return pick(a, b, {n, n, n, n});
       }},
      {"prmt.b32.ecl", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         const Bits n = c & 3;
         return pick(a, b, {std::max<Bits>(n, 0), std::max<Bits>(n, 1), std::max<Bits>(n, 2), 3});
       }},
      {"prmt.b32.ecr", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         const Bits n = c & 3;
         return pick(a, b, {0, std::min<Bits>(n, 1), std::min<Bits>(n, 2), n});
       }},
      {"prmt.b32.rc16", "r rrr",
       [=](Bits a, Bits b, Bits c) {
         return (c & 1) != 0 ? pick(a, b, {2, 3, 2, 3}) : pick(a, b, {0, 1, 0, 1});
       }},
  });
}

TEST(OpsBits, LookUpsAndNthBit) {
  const auto lookup = [](Bits a, Bits b, Bits c, int table) {
    Bits out = 0;
    for (Bits i = 0; i < 32; ++i) {
      const int index = bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i);
      out |= Bits(table >> index & 1) << i;
    }
    return out;
  };
  for (const int table : {0x00, 0x96, 0xe8, 0xf8, 0x6a, 0x1d, 0xff})
    check({"lop3.b32 %o, %a, %b, %c, " + std::to_string(table) + ";", "r rrr",
           [=](Bits a, Bits b, Bits c) { return lookup(a, b, c, table); }});
  check({"lop3.or.b32 %rx|%o, %a, %b, %c, 0x80, 0;", "p rrr",
         [](Bits a, Bits b, Bits c) { return Bits{(a & b & c) != 0}; }});
  const auto nth = [](Bits a, Bits base, Bits n) {
    if (base > 31) return ~Bits{0};
    if (n == 0) return bit(a, base) ? base : ~Bits{0};
    const std::int64_t wanted = s(n, 32), step = wanted > 0 ? 1 : -1;
    std::int64_t seen = 0;
    for (std::int64_t i = static_cast<std::int64_t>(base); i >= 0 && i < 32; i += step)
      if (bit(a, static_cast<Bits>(i)) && (seen += step) == wanted) return static_cast<Bits>(i);
    return ~Bits{0};
  };
  check_all({{"fns.b32", "r rrr", nth, Values::Integer}, {"fns.b32", "r rrr", nth, Values::Small}});
}

TEST(OpsBits, Predicates) {
  check_all({
      {"and.pred", "p pp", [](Bits a, Bits b, Bits) { return a & b; }},
      {"or.pred", "p pp", [](Bits a, Bits b, Bits) { return a | b; }},
      {"xor.pred", "p pp", [](Bits a, Bits b, Bits) { return a ^ b; }},
      {"not.pred", "p p", [](Bits a, Bits, Bits) { return ~a; }},
      {"mov.pred", "p p", [](Bits a, Bits, Bits) { return a; }},
      {"and.pred %o, %a, !%qb;", "p pp", [](Bits a, Bits b, Bits) { return a & ~b; }},
  });
}

TEST(OpsBits, Moves) {
  check_all({
      {"mov.b16", "h h", [](Bits a, Bits, Bits) { return a; }},
      {"mov.u32", "r r", [](Bits a, Bits, Bits) { return a; }},
      {"mov.f64", "d d", [](Bits a, Bits, Bits) { return a; }},
      {"mov.f32 %o, 0f40490FDB;", "r", [](Bits, Bits, Bits) { return Bits{0x40490fdb}; }},
      {"mov.b64 %o, {%a, %b};", "d rr", [](Bits a, Bits b, Bits) { return b << 32 | a; }},
      {"mov.b32 %o, {%a, %b};", "r hh", [](Bits a, Bits b, Bits) { return b << 16 | a; }},
      {"mov.b64 %o, {%a, %b, %c, %a};", "d hhh",
       [](Bits a, Bits b, Bits c) { return a << 48 | c << 32 | b << 16 | a; }},
      {"mov.b64 {%rx, %o}, %a;", "r d", [](Bits a, Bits, Bits) { return a >> 32; }},
      {"mov.b64 {%o, _}, %a;", "r d", [](Bits a, Bits, Bits) { return a; }},
      {"mov.b32 {%hx, %o}, %a;", "h r", [](Bits a, Bits, Bits) { return a >> 16; }},
      {"mov.b64 {%hx, %hy, %o, _}, %a;", "h d", [](Bits a, Bits, Bits) { return a >> 32; }},
  });
}

}  // namespace
}  // namespace warplens::simt::test
