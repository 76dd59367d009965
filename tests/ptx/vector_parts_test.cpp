// What ptxas 13.0 loads of a vector, by which of its elements are read: every mask of the three forms, as its
// machine code for sm_90 has it.
#include "engine/ptx/vector_parts.h"

#include <gtest/gtest.h>

#include <bit>
#include <tuple>

#include "engine/ptx/as_executed.h"
#include "engine/ptx/parser.h"

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
  const auto module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<4>;\n.reg ." +
      reg_type + " %v<4>;\n" + body + "ret;\n}\n");
  EXPECT_TRUE(module) << module.error().text();
  const Function& function = module->functions[0];
  const VectorPart part = VectorParts(*module, function).needed(function.instructions[0]);
  const ExecutedAs as = as_executed(*module, function)[0];
  const int whole = elements * size_of(module->form(function.instructions[0]).type());
  EXPECT_EQ(as.bytes, part.bytes == 0 ? whole : part.bytes);
  EXPECT_EQ(as.offset, part.offset);
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
