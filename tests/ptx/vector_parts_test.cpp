// What ptxas 13.0 loads of a vector, by which of its elements are read: every mask of the three forms, as its
// machine code for sm_90 has it; where a ptxas is installed it is asked again.
#include "engine/ptx/facts/vector_parts.h"

#include <gtest/gtest.h>

#include <bit>
#include <tuple>

#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/ptx/ptxas.h"

namespace warplens::ptx {
namespace {

// A load of `elements` elements into %v0.., of which those in `mask` are stored.
VectorPart part_of(const std::string& type, const std::string& reg_type, int elements, unsigned mask) {
  std::string body = "ld.global.v" + std::to_string(elements) + "." + type + " {";
  for (int e = 0; e < elements; ++e) body += (e == 0 ? "%v" : ",%v") + std::to_string(e);
  body += "},[%rd1];\n";
  for (int e = 0; e < elements; ++e)
    if (mask >> e & 1u)
      body += "st.global." + type + " [%rd2+" + std::to_string(16 * e) + "],%v" + std::to_string(e) + ";\n";
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 q)\n{\n"
      ".reg .b64 %rd<4>;\n.reg ." +
      reg_type + " %v<4>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n" + body + "ret;\n}\n";
  auto module = parse(text);
  EXPECT_TRUE(module) << module.error().text();
  constexpr std::size_t kLoad = 2;
  const Function& function = module->functions[0];
  const VectorPart part = VectorParts(*module, function).needed(function.instructions[kLoad]);
  const ExecutedAs as = as_executed(*module, function)[kLoad];
  const int whole = elements * size_of(module->form(function.instructions[kLoad]).type());
  EXPECT_EQ(as.bytes, part.bytes == 0 ? whole : part.bytes);
  EXPECT_EQ(as.offset, part.offset);
  // Of two words apart ptxas makes two loads, where here the vector is loaded whole: a known difference.
  const bool two_loads = part.bytes == 0 && whole == 16 && elements == 4 && std::popcount(mask) == 2;
  if (!two_loads && follow_ptxas(text, *module)) {
    const LoweredAccess made = lower(*module, module->functions[0]).accesses[kLoad];
    EXPECT_EQ(made.known, Known::MachineCode);
    EXPECT_EQ(made.bytes, as.bytes) << text;
    EXPECT_EQ(made.offset, as.offset) << text;
  }
  return part;
}

TEST(VectorParts, OfTwoElements) {
  for (const auto& [type, reg, bytes] : {std::tuple{"f32", "f32", 4}, {"u64", "b64", 8}, {"u16", "b16", 2}}) {
    EXPECT_EQ(part_of(type, reg, 2, 0b11).bytes, 0) << type;
    EXPECT_EQ(part_of(type, reg, 2, 0b01).bytes, bytes) << type;
    EXPECT_EQ(part_of(type, reg, 2, 0b10).bytes, bytes) << type;
    EXPECT_EQ(part_of(type, reg, 2, 0b10).offset, bytes) << type;
  }
}

TEST(VectorParts, OfFourElements) {
  for (const auto& [type, reg, element] : {std::tuple{"u32", "b32", 4}, {"u16", "b16", 2}})
    for (unsigned mask = 1; mask < 16; ++mask) {
      const VectorPart part = part_of(type, reg, 4, mask);
      const bool single = (mask & (mask - 1)) == 0, pair = mask == 0b0011 || mask == 0b1100;
      EXPECT_EQ(part.bytes, single ? element : pair ? 2 * element : 0) << type << " mask " << mask;
      EXPECT_EQ(part.offset, single || pair ? element * std::countr_zero(mask) : 0)
          << type << " mask " << mask;
    }
}

TEST(VectorParts, BytesAndVolatileLoadsStayWhole) {
  EXPECT_EQ(part_of("u8", "b16", 4, 0b0001).bytes, 0);
  const auto module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<4>;\n.reg .f32 "
      "%f<4>;\n"
      "ld.volatile.global.v2.f32 {%f1,%f2},[%rd1];\nst.global.f32 [%rd2],%f1;\nret;\n}\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(as_executed(*module, module->functions[0])[0].bytes, 8);
}

}  // namespace
}  // namespace warplens::ptx
