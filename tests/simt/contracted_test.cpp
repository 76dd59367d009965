// Sums that round once with the product in them, where ptxas makes one instruction of both.
#include <gtest/gtest.h>

#include "tests/simt/core_machine.h"

namespace warplens::simt::core {
namespace {

// What a lane gets of a body that leaves it in %f9: with a = b = 1 + 2^-12 in %f1 and %f2 and c = 1 + 2^-11
// in %f3 the product less c is 2^-24 when it is rounded once, and nothing when the product was rounded
// before. `known` to the loader, or different in each lane as far as that can tell.
float of(const std::string& body, bool known, const std::string& options = "") {
  const std::string varies =
      known ? "" : "cvt.rn.f32.u32 %f4, %r1; mul.rn.f32 %f4, %f4, 0f00000000; add.rn.f32 %f1, %f1, %f4;\n";
  const std::string text = ".version 8.0\n.target sm_90" + options +
                           "\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n"
                           R"({
  .reg .pred %p<9>; .reg .b32 %r<9>; .reg .f32 %f<99>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, %r2;
  mov.f32 %f1, 0f3F800800; mov.f32 %f2, 0f3F800800; mov.f32 %f3, 0f3F801000; mov.f32 %f9, 0f40A00000;
)" + varies + body + R"(
  mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.f32 [%rd1], %f9;
  ret;
})";
  auto module = ptx::parse(text, {.file = "contracted.ptx"});
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return -1;
  const Finished run = run_module(std::make_shared<const ptx::Module>(std::move(*module)), "k", {1}, {32},
                                  {"buf:f32:32:zero", "u32:7"});
  EXPECT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<float>(0);
  return out.size() == 32 ? out[3] : -1;
}

constexpr float kOnce = 0x1p-24f;

TEST(Contracted, ASumWithAProductRoundsOnce) {
  for (const bool known : {true, false}) {
    SCOPED_TRACE(known);
    const auto is = [&](const char* body, float expected) { EXPECT_EQ(of(body, known), expected) << body; };
    is("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3;", kOnce);
    is("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f3, %f5;", -kOnce);
    is("neg.f32 %f6, %f3; mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f6;", kOnce);
    is("neg.f32 %f6, %f3; mul.f32 %f5, %f1, %f2; add.f32 %f9, %f6, %f5;", kOnce);
    is("mul.ftz.f32 %f5, %f1, %f2; sub.ftz.f32 %f9, %f5, %f3;", kOnce);
    is("mul.f32 %f5, %f1, %f2; sub.sat.f32 %f9, %f5, %f3;", kOnce);
    is("mul.f32 %f5, %f1, %f2; @%p1 sub.f32 %f9, %f5, %f3;", kOnce);
    // Through copies and changes of sign.
    is("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f9, %f6, %f3;", -kOnce);
    is("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f9, %f3, %f6;", -kOnce);
    is("neg.f32 %f8, %f3; mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f9, %f6, %f8;", -kOnce);
    is("neg.f32 %f8, %f3; mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f9, %f8, %f6;", kOnce);
    is("mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f5; sub.f32 %f9, %f6, %f3;", kOnce);
    is("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; mov.f32 %f7, %f6; neg.f32 %f8, %f7; sub.f32 %f9, %f8, %f3;",
       kOnce);
    is("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f7, %f5, %f3; add.f32 %f8, %f6, %f3; sub.f32 %f9, "
       "%f7, %f8;",
       2 * kOnce);
    is("mul.ftz.f32 %f5, %f1, %f2; neg.ftz.f32 %f6, %f5; add.ftz.f32 %f9, %f6, %f3;", -kOnce);
    is("mul.f32 %f5, %f1, %f2; bar.sync 0; sub.f32 %f9, %f5, %f3;", kOnce);
    // Both sums of one product; and the factors' rows may not be another register's in between.
    is("mul.f32 %f5, %f1, %f2; sub.f32 %f6, %f5, %f3; sub.f32 %f7, %f3, %f5; sub.f32 %f9, %f6, %f7;",
       2 * kOnce);
    is("mul.f32 %f5, %f1, %f2; add.rn.f32 %f6, %f3, %f3; add.rn.f32 %f7, %f6, %f6; add.rn.f32 %f8, %f7, %f6;"
       " sub.f32 %f9, %f5, %f3;",
       kOnce);
  }
}

TEST(Contracted, WhatIsWrittenOrNeededIsRoundedTwice) {
  for (const bool known : {true, false}) {
    SCOPED_TRACE(known);
    const auto twice = [&](const char* body) { EXPECT_EQ(of(body, known), 0.0f) << body; };
    twice("mul.rn.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3;");
    twice("mul.f32 %f5, %f1, %f2; sub.rn.f32 %f9, %f5, %f3;");
    twice("mul.f32 %f5, %f1, %f2; sub.ftz.f32 %f9, %f5, %f3;");
    twice("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3; st.global.f32 [%rd1], %f5;");
    twice("mul.f32 %f5, %f1, %f2; abs.f32 %f6, %f5; sub.f32 %f9, %f6, %f3;");
    twice("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f9, %f6, %f3; st.global.f32 [%rd1], %f5;");
    twice("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; add.f32 %f9, %f6, %f3; st.global.f32 [%rd1], %f6;");
    twice("mul.f32 %f5, %f1, %f2; neg.ftz.f32 %f6, %f5; add.f32 %f9, %f6, %f3;");
    twice("mul.f32 %f5, %f1, %f2; mov.f32 %f6, %f3; @%p1 mov.f32 %f6, %f5; sub.f32 %f9, %f6, %f3;");
    twice("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; @%p1 bra L; mov.f32 %f3, %f2; L: add.f32 %f9, %f6, %f3;");
    twice("mul.f32 %f5, %f1, %f2; @%p1 bra L; mov.f32 %f3, %f2; L: sub.f32 %f9, %f5, %f3;");
    twice("mov.f32 %f5, %f3; @%p1 mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3;");
  }
  EXPECT_EQ(of("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3;", false, ", debug"), 0.0f);
}

// Which of two products goes in shows where one of them is exact: 2^-24 is lost of the other's.
TEST(Contracted, OneOfTwoProductsGoesIn) {
  constexpr const char* kExact = "mov.f32 %f7, 0f3F800000; mul.f32 %f6, %f3, %f7;";
  const auto is = [&](const std::string& sum, float expected) {
    EXPECT_EQ(of(kExact + ("mul.f32 %f5, %f1, %f2; " + sum), false), expected) << sum;
  };
  is("sub.f32 %f9, %f5, %f6;", kOnce);
  is("sub.f32 %f9, %f6, %f5;", 0);
  // The one that nothing else needs, whichever is first; then the other goes into no sum.
  is("add.f32 %f8, %f5, %f1; sub.f32 %f9, %f5, %f6;", 0);
  is("add.f32 %f8, %f6, %f1; sub.f32 %f9, %f6, %f5;", -kOnce);
}

TEST(Contracted, DoublesAndHalves) {
  const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q)
{
  .reg .b32 %r<9>; .reg .f64 %d<9>; .reg .b64 %rd<9>; .reg .b16 %h<9>;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];
  mov.f64 %d1, 0d3FF0000000400000; mov.f64 %d2, 0d3FF0000000800000;
  mul.f64 %d3, %d1, %d1; sub.f64 %d4, %d3, %d2; st.global.f64 [%rd1], %d4;
  mov.b16 %h1, 0x3C10; mov.b16 %h2, 0x3C20;
  mul.f16 %h3, %h1, %h1; sub.f16 %h4, %h3, %h2; st.global.b16 [%rd2], %h4;
  mov.b32 %r1, {%h1, %h1}; mov.b32 %r2, {%h2, %h2};
  mul.f16x2 %r3, %r1, %r1; sub.f16x2 %r4, %r2, %r3; st.global.b32 [%rd2+4], %r4;
  mul.f64 %d5, %d1, %d1; neg.f64 %d6, %d5; add.f64 %d7, %d6, %d2; st.global.f64 [%rd1+8], %d7;
  mul.f16x2 %r5, %r1, %r1; neg.f16x2 %r6, %r5; add.f16x2 %r7, %r2, %r6; st.global.b32 [%rd2+8], %r7;
  ret;
})";
  auto module = ptx::parse(text, {.file = "contracted.ptx"});
  ASSERT_TRUE(module) << module.error().text();
  const Finished run = run_module(std::make_shared<const ptx::Module>(std::move(*module)), "k", {1}, {32},
                                  {"buf:f64:2:zero", "buf:u16:6:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_EQ(run.buffer<double>(0).at(0), 0x1p-60);
  const auto halves = run.buffer<std::uint16_t>(1);
  EXPECT_EQ(halves.at(0), 0x0C00) << "2^-12";
  EXPECT_EQ(halves.at(2), 0x8C00) << "-2^-12";
  EXPECT_EQ(halves.at(3), 0x8C00);
  EXPECT_EQ(run.buffer<double>(0).at(1), -0x1p-60);
  EXPECT_EQ(halves.at(4), 0x8C00);
}

}  // namespace
}  // namespace warplens::simt::core
