#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/ops/numeric.h"
#include "tests/simt/lane_machine.h"
#include "tests/simt/op_cases.h"

namespace warplens::simt::test {
namespace {

constexpr std::size_t kThreads = 4096;
constexpr Bits kUntouched = 0x0123456789abcdefu;

const std::vector<Bits>& edges(Values values) {
  static const std::map<Values, std::vector<Bits>> all{
      {Values::Integer,
       {0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        63,
        64,
        65,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x10000,
        0x7fffffff,
        0x80000000,
        0xffffffff,
        0xfffffffe,
        0x12345678,
        0x100000000,
        0x7fffffffffffffff,
        0x8000000000000000,
        0xffffffffffffffff,
        0xfffffffffffffffe,
        0xfedcba9876543210,
        0xffffffff80000000}},
      {Values::Half, {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff,     0x0400,     0x3c00,     0xbc00,
                      0x3c01, 0x3bff, 0x4000, 0x4248, 0x7bff,     0xfbff,     0x7c00,     0xfc00,
                      0x7e00, 0xfe01, 0x2e66, 0x5555, 0x3c003c00, 0x7c00fc00, 0xbc000001, 0x7e004000}},
      {Values::Bfloat, {0x0000, 0x8000, 0x0001, 0x8001, 0x007f,     0x0080,     0x3f80,     0xbf80,
                        0x3f81, 0x3f7f, 0x4000, 0x4049, 0x7f7f,     0xff7f,     0x7f80,     0xff80,
                        0x7fc0, 0xffc1, 0x3dcc, 0x5555, 0x3f803f80, 0x7f80ff80, 0xbf800001, 0x7fc04000}},
      {Values::Single,
       {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
        0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3f7fffff, 0x3f800001, 0x4b000001, 0x4effffff,
        0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
        0xff800000, 0x7fc00000, 0xffc00001, 0x7e800001, 0x40490fdb, 0x33800000}},
      {Values::Double,
       {0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff,
        0x0010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0x3ff8000000000000,
        0x4004000000000000, 0xc004000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x41dfffffffc00000,
        0x41e0000000000000, 0xc1e0000000200000, 0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
        0x43f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
        0x7ff8000000000000, 0xfff8000000000001, 0x400921fb54442d18, 0x36a0000000000000, 0x47efffffefffffff}},
      {Values::Small, {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 40, 63, 64, 100, 255, 256}},
  };
  return all.at(values);
}

// A random operand: half of them any bits, half of them ordinary numbers.
Bits random_value(Values values, std::mt19937_64& random) {
  const Bits any = random();
  if (any & 1) return random();
  const double number = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -62) *
                        std::exp2(static_cast<double>(any >> 8 & 15) - 8);
  switch (values) {
    case Values::Integer:
      return random() >> (any >> 8 & 63);
    case Values::Small:
      return any >> 8 & 63;
    case Values::Half:
      return pack(unpack(std::bit_cast<Bits>(number), kDouble), kHalf, Rounding::Nearest) * 0x10001u;
    case Values::Bfloat:
      return pack(unpack(std::bit_cast<Bits>(number), kDouble), kBfloat, Rounding::Nearest) * 0x10001u;
    case Values::Single:
      return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    case Values::Double:
      return std::bit_cast<Bits>(number);
  }
  return any;
}

std::string register_of(char kind, char name) {
  return std::string("%") + (kind == 'p' ? 'q' : kind) + name;
}

std::string instruction_text(const OpCase& op_case, const std::string& guard) {
  if (op_case.op.find('%') == std::string::npos) {
    std::string text = "  " + guard + op_case.op + " " + register_of(op_case.signature[0], 'o');
    for (std::size_t i = 2; i < op_case.signature.size(); ++i)
      text += ", " + register_of(op_case.signature[i], static_cast<char>('a' + i - 2));
    return text + ";\n";
  }
  std::string text = "  " + guard;
  for (std::size_t i = 0; i < op_case.op.size(); ++i) {
    const char ch = op_case.op[i];
    const char next = i + 1 < op_case.op.size() ? op_case.op[i + 1] : ' ';
    const bool alone =
        i + 2 >= op_case.op.size() || !std::isalnum(static_cast<unsigned char>(op_case.op[i + 2]));
    if (ch == '%' && alone && (next == 'o' || (next >= 'a' && next <= 'c'))) {
      const std::size_t position = next == 'o' ? 0 : 2 + static_cast<std::size_t>(next - 'a');
      text += register_of(op_case.signature.at(position), next);
      ++i;
    } else {
      text += ch;
      if (ch == ';') text += "  " + guard;
    }
  }
  if (text.ends_with(guard)) text.resize(text.size() - guard.size());
  return text + "\n";
}

std::string entry_text(const OpCase& op_case, const std::string& name, bool guarded) {
  std::ostringstream out;
  out << ".visible .entry " << name << "()\n{\n"
      << "  .reg .b16 %ha, %hb, %hc, %ho, %hx, %hy;\n  .reg .b32 %ra, %rb, %rc, %ro, %rx, %ry;\n"
      << "  .reg .b64 %da, %db, %dc, %do, %dx, %dy;\n"
      << "  .reg .pred %qa, %qb, %qc, %qo, %qx, %qy, %guard;\n"
      << instruction_text(op_case, guarded ? "@%guard " : "") << "  ret;\n}\n";
  return out.str();
}

bool guard_of(std::size_t thread) {
  return (static_cast<std::uint32_t>(thread) * 2654435761u & 8192u) != 0;
}

Bits cut(char kind, Bits value) {
  switch (kind) {
    case 'h':
      return value & 0xffff;
    case 'r':
      return value & 0xffffffff;
    case 'p':
      return value & 1;
    default:
      return value;
  }
}

std::vector<Bits> execute(const OpCase& op_case, const std::string& kernel_name, const Inputs& inputs) {
  auto module = ptx::parse(kernel_text(op_case), {.file = op_case.op});
  if (!module) {
    ADD_FAILURE() << op_case.op << ": " << module.error().text();
    return {};
  }
  LaneMachine machine(*module, *module->find_function(kernel_name));
  if (!machine.decode()) {
    ADD_FAILURE() << op_case.op << ": not decoded: " << machine.refused();
    return {};
  }
  const std::vector<Bits>* sources[] = {&inputs.a, &inputs.b, &inputs.c};
  const std::string out = register_of(op_case.signature[0], 'o');
  std::vector<Bits> results(kThreads);
  for (std::size_t first = 0; first < kThreads; first += kWarpSize) {
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
      for (std::size_t i = 2; i < op_case.signature.size(); ++i)
        machine.set(register_of(op_case.signature[i], static_cast<char>('a' + i - 2)), l,
                    (*sources[i - 2])[first + l]);
      machine.set(out, l, kUntouched);
      machine.set("%guard", l, guard_of(first + l));
    }
    machine.run();
    for (unsigned l = 0; l < unsigned(kWarpSize); ++l) results[first + l] = machine.get(out, l);
  }
  return results;
}

double as_number(char kind, Bits bits) {
  if (kind == 'd') return std::bit_cast<double>(bits);
  if (kind == 'r') return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(pack(unpack(bits, kHalf), kDouble, Rounding::Nearest));
}

bool agrees(const OpCase& op_case, Bits got, Bits want) {
  if (got == want) return true;
  if (op_case.tolerance_ulp == 0 && op_case.tolerance_absolute == 0) return false;
  const char kind = op_case.signature[0];
  const double x = as_number(kind, got), y = as_number(kind, want);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  const double unit =
      std::exp2(std::max(std::ilogb(y == 0 ? 1e-300 : y), -149 + 23) - (kind == 'd' ? 52 : 23));
  return std::fabs(x - y) <= op_case.tolerance_ulp * unit + op_case.tolerance_absolute;
}

void compare(const OpCase& op_case, const Inputs& inputs, const std::vector<Bits>& got, bool guarded) {
  ASSERT_EQ(got.size(), kThreads) << op_case.op;
  const auto operand = [&](const std::vector<Bits>& from, std::size_t position, std::size_t thread) {
    return position < op_case.signature.size() ? cut(op_case.signature[position], from[thread]) : 0;
  };
  int failures = 0;
  for (std::size_t thread = 0; thread < kThreads && failures < 4; ++thread) {
    const Bits a = operand(inputs.a, 2, thread), b = operand(inputs.b, 3, thread),
               c = operand(inputs.c, 4, thread);
    const Bits want =
        cut(op_case.signature[0], guarded && !guard_of(thread) ? kUntouched : op_case.reference(a, b, c));
    if (agrees(op_case, got[thread], want)) continue;
    ++failures;
    ADD_FAILURE() << op_case.op << (guarded ? " (guarded)" : "") << std::hex << " a=" << a << " b=" << b
                  << " c=" << c << ": got " << got[thread] << ", want " << want;
  }
}

}  // namespace

std::string kernel_text(const OpCase& op_case) {
  return ".version 8.3\n.target sm_90\n.address_size 64\n" + entry_text(op_case, "k", false) +
         entry_text(op_case, "m", true);
}

Inputs inputs_for(const OpCase& op_case) {
  const auto& edge = edges(op_case.values);
  const std::size_t count = edge.size();
  std::mt19937_64 random(20240607);
  Inputs inputs;
  for (std::size_t i = 0; i < kThreads; ++i) {
    const bool pairs = i < count * count;
    const bool triples = !pairs && i < count * count + 1728;
    const std::size_t j = i - count * count;
    // Triples take every second edge value, at most twelve of them.
    const auto pick = [&](std::size_t n) { return edge[n % 12 * 2 % count]; };
    inputs.a.push_back(pairs ? edge[i % count] : triples ? pick(j) : random_value(op_case.values, random));
    inputs.b.push_back(pairs     ? edge[i / count]
                       : triples ? pick(j / 12)
                                 : random_value(op_case.values, random));
    inputs.c.push_back(pairs     ? edge[(i * 7 + i / count) % count]
                       : triples ? pick(j / 144)
                                 : random_value(op_case.values, random));
  }
  return inputs;
}

void check(const OpCase& op_case) {
  const Inputs inputs = inputs_for(op_case);
  for (const bool guarded : {false, true}) {
    const auto got = execute(op_case, guarded ? "m" : "k", inputs);
    if (!got.empty()) compare(op_case, inputs, got, guarded);
  }
}

void check_all(const std::vector<OpCase>& cases) {
  for (const OpCase& op_case : cases) check(op_case);
}

TEST(OpHarness, WritesAKernelThatTheParserAccepts) {
  const OpCase pair{"setp.lt.s32 %qx|%qy, %a, %b; selp.b32 %o, 1, 2, %qx;", "r rr", nullptr};
  const std::string text = kernel_text(pair);
  EXPECT_NE(text.find("@%guard setp.lt.s32 %qx|%qy, %ra, %rb;"), std::string::npos) << text;
  EXPECT_NE(text.find("@%guard  selp.b32 %ro, 1, 2, %qx;"), std::string::npos) << text;
}

}  // namespace warplens::simt::test
