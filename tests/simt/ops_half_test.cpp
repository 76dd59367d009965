#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/simt/ops/numeric.h"
#include "tests/simt/fused_reference.h"
#include "tests/simt/op_cases.h"

namespace warplens::simt::test {
namespace {

using Half = std::uint16_t;

struct Format {
  std::string name;
  FloatFormat layout;
  Values values;
  Half one;
  double wide(Bits x) const {
    return std::bit_cast<double>(pack(unpack(x & 0xffff, layout), kDouble, Rounding::Nearest));
  }
  Half fused(Bits a, Bits b, Bits c) const {
    return fused_multiply_add(static_cast<Half>(a), static_cast<Half>(b), static_cast<Half>(c), layout,
                              Rounding::Nearest);
  }
  Half narrow(double x) const {
    return static_cast<Half>(pack(unpack(std::bit_cast<Bits>(x), kDouble), layout, Rounding::Nearest));
  }
};
const Format kFormats[] = {{"f16", kHalf, Values::Half, 0x3c00}, {"bf16", kBfloat, Values::Bfloat, 0x3f80}};

using Scalar = std::function<Half(Bits, Bits, Bits)>;

// The single form and the packed one, which does the same to both halves.
void check_both(const Format& format, const std::string& op, std::size_t sources, const Scalar& f) {
  check({op + "." + format.name, "h " + std::string(sources, 'h'),
         [=](Bits a, Bits b, Bits c) { return Bits{f(a, b, c)}; }, format.values});
  check({op + "." + format.name + "x2", "r " + std::string(sources, 'r'),
         [=](Bits a, Bits b, Bits c) {
           return Bits{f(a & 0xffff, b & 0xffff, c & 0xffff)} | Bits{f(a >> 16, b >> 16, c >> 16)} << 16;
         },
         format.values});
}

TEST(OpsHalf, Arithmetic) {
  for (const Format& format : kFormats) {
    const auto negated = [](Bits x) { return x ^ 0x8000; };
    check_both(format, "add", 2, [&](Bits a, Bits b, Bits) { return format.fused(a, format.one, b); });
    check_both(format, "sub.rn", 2,
               [&](Bits a, Bits b, Bits) { return format.fused(a, format.one, negated(b)); });
    check_both(format, "mul", 2, [&](Bits a, Bits b, Bits) {
      // Adding zero of the product's sign keeps the product's own zero.
      return format.fused(a, b, (a ^ b) & 0x8000);
    });
    check_both(format, "fma.rn", 3, [&](Bits a, Bits b, Bits c) { return format.fused(a, b, c); });
    check_both(format, "fma.rn.relu", 3, [&](Bits a, Bits b, Bits c) {
      const Half x = format.fused(a, b, c);
      return std::isnan(format.wide(x)) || !(x & 0x8000) ? x : Half{0};
    });
    check_both(format, "neg", 1, [&](Bits a, Bits, Bits) {
      return std::isnan(format.wide(a)) ? Half{0x7fff} : static_cast<Half>(a ^ 0x8000);
    });
    check_both(format, "abs", 1, [&](Bits a, Bits, Bits) {
      return std::isnan(format.wide(a)) ? Half{0x7fff} : static_cast<Half>(a & 0x7fff);
    });
  }
}

TEST(OpsHalf, SaturatesAndFlushes) {
  const Format& format = kFormats[0];
  const auto flushed = [](Bits x) { return static_cast<Half>((x & 0x7c00) == 0 ? x & 0x8000 : x); };
  check_both(format, "add.sat", 2, [&](Bits a, Bits b, Bits) {
    const double x = format.wide(format.fused(a, format.one, b));
    return format.narrow(x >= 1 ? 1.0 : x > 0 ? x : 0.0);
  });
  check_both(format, "mul.ftz", 2, [&](Bits a, Bits b, Bits) {
    return flushed(format.fused(flushed(a), flushed(b), (a ^ b) & 0x8000));
  });
}

TEST(OpsHalf, MinimaAndMaxima) {
  for (const Format& format : kFormats)
    for (const bool minimum : {true, false}) {
      const std::string op = minimum ? "min" : "max";
      const auto extreme = [&format, minimum](Bits a, Bits b) {
        const double x = format.wide(a), y = format.wide(b);
        if (std::isnan(x) && std::isnan(y)) return Half{0x7fff};
        if (std::isnan(x)) return static_cast<Half>(b);
        if (std::isnan(y)) return static_cast<Half>(a);
        const bool first = x == y ? std::signbit(x) == minimum : (x < y) == minimum;
        return static_cast<Half>(first ? a : b);
      };
      check_both(format, op, 2, [&](Bits a, Bits b, Bits) { return extreme(a, b); });
      check_both(format, op + ".NaN", 2, [&](Bits a, Bits b, Bits) {
        return std::isnan(format.wide(a)) || std::isnan(format.wide(b)) ? Half{0x7fff} : extreme(a, b);
      });
    }
}

TEST(OpsHalf, QuickFunctions) {
  const Format &half = kFormats[0], &bfloat = kFormats[1];
  // A library in double precision decides the last bit the same way except within 1e-9 of a tie.
  check_both(half, "tanh.approx", 1, [&](Bits a, Bits, Bits) {
    return half.narrow(static_cast<double>(static_cast<float>(std::tanh(half.wide(a)))));
  });
  check_both(half, "ex2.approx", 1, [&](Bits a, Bits, Bits) {
    return half.narrow(static_cast<double>(static_cast<float>(std::exp2(half.wide(a)))));
  });
  check_both(bfloat, "tanh.approx", 1, [&](Bits a, Bits, Bits) {
    return bfloat.narrow(static_cast<double>(static_cast<float>(std::tanh(bfloat.wide(a)))));
  });
}

}  // namespace
}  // namespace warplens::simt::test
