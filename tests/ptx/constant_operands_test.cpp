// Which loads from constant arrays cost a request: expectations are ptxas 13.0's own code for sm_90.
#include "engine/ptx/rules/constant_operands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/ptx/rules/branch_form.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

// How many of a kernel's constant loads are free and how many cost a request: "2 free, 1 LDC".
std::string cost(const std::string& body) {
  const std::string text = fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 c[64];
.visible .entry k(.param .u64 p, .param .f32 a, .param .u32 n)
{{
  .reg .pred %p<9>;
  .reg .b32 %r<19>;
  .reg .f32 %f<19>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p];
  ld.param.f32 %f9, [a];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, c;
  cvt.u64.u32 %rd3, %r2;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f0, [%rd1];
  ld.global.u32 %r0, [%rd1];
{}
  ret;
}})",
                                       body);
  const auto module = parse(text);
  EXPECT_TRUE(module) << module.error().text();
  const Function& function = module->functions.front();
  const auto free = free_constants(*module, function, executed_branches(*module, function).predicated);
  int none = 0, loads = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (module->form(function.instructions[i]).space != StateSpace::Const) continue;
    (free[i] ? none : loads) += 1;
  }
  return fmt::format("{} free, {} LDC", none, loads);
}

constexpr const char* kTwo = "ld.const.f32 %f1, [c]; ld.const.f32 %f2, [c+8];\n";

TEST(FreeConstants, AnInstructionTakesOne) {
  EXPECT_EQ(cost("ld.const.f32 %f1, [c]; mul.f32 %f3, %f0, %f1;"), "1 free, 0 LDC");
  EXPECT_EQ(cost(fmt::format("{} fma.rn.f32 %f3, %f0, %f1, %f2;", kTwo)), "1 free, 1 LDC");
  EXPECT_EQ(cost(fmt::format("{} mul.f32 %f3, %f0, %f1; add.f32 %f4, %f3, %f2;", kTwo)), "2 free, 0 LDC");
}

TEST(FreeConstants, SumsAndLogicOfThreeAreOneInstruction) {
  EXPECT_EQ(
      cost("ld.const.u32 %r3, [c]; ld.const.u32 %r4, [c+8]; add.s32 %r5, %r0, %r3; add.s32 %r6, %r5, %r4;"),
      "1 free, 1 LDC");
  EXPECT_EQ(
      cost("ld.const.u32 %r3, [c]; ld.const.u32 %r4, [c+8]; and.b32 %r5, %r0, %r3; or.b32 %r6, %r5, %r4;"),
      "1 free, 1 LDC");
}

TEST(FreeConstants, ParametersTakeThePlaceInTheirOrder) {
  EXPECT_EQ(cost("ld.const.f32 %f1, [c]; fma.rn.f32 %f3, %f9, %f0, %f1;"), "0 free, 1 LDC");
  EXPECT_EQ(cost("ld.const.f32 %f1, [c]; fma.rn.f32 %f3, %f1, %f0, %f9;"), "1 free, 0 LDC");
}

TEST(FreeConstants, AStoreTakesARegister) {
  EXPECT_EQ(cost("ld.const.f32 %f1, [c]; st.global.f32 [%rd1], %f1;"), "0 free, 1 LDC");
}

TEST(FreeConstants, AddressesOfTheWholeWarp) {
  EXPECT_EQ(cost("ld.const.f32 %f1, [%rd4+4]; mul.f32 %f3, %f0, %f1;"), "1 free, 0 LDC");
  EXPECT_EQ(cost("ld.const.f32 %f1, [%rd4]; mul.f32 %f3, %f0, %f1;"
                 "ld.const.f32 %f2, [%rd4+-4]; mul.f32 %f4, %f3, %f2;"),
            "0 free, 2 LDC");
  EXPECT_EQ(cost("cvt.u64.u32 %rd5, %r1; add.s64 %rd6, %rd2, %rd5;"
                 "ld.const.f32 %f1, [%rd6]; mul.f32 %f3, %f0, %f1;"),
            "0 free, 1 LDC");
}

}  // namespace
}  // namespace warplens::ptx
