// What kernels read before they know where to go: by the code of real ones, cut to what matters.
#include "engine/ptx/facts/data_dependence.h"

#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

DataDependence of(const std::string& body) {
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 bins, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<32>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [bins];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  cvta.to.global.u64 %rd6, %rd3;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd7, %r2, 4;
  add.s64 %rd8, %rd4, %rd7;
  add.s64 %rd9, %rd6, %rd7;
)" + body + "\n  ret;\n}\n";
  const auto module = parse(text);
  EXPECT_TRUE(module) << (module ? "" : module.error().text());
  if (!module) return {};
  return data_dependence(*module, **module->find_entry("k"));
}

TEST(DataDependence, ACopyDependsOnNothing) {
  const auto found = of(R"(
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  ld.global.f32 %f1, [%rd8];
  st.global.f32 [%rd9], %f1;
DONE:)");
  EXPECT_TRUE(found.empty());
}

TEST(DataDependence, AHistogramGoesWhereItsDataSay) {
  const auto found = of(R"(
  ld.global.u32 %r3, [%rd8];
  and.b32 %r4, %r3, 63;
  mul.wide.u32 %rd10, %r4, 4;
  add.s64 %rd11, %rd5, %rd10;
  red.global.add.u32 [%rd11], 1;)");
  EXPECT_THAT(found.addresses, ElementsAre(0));
  EXPECT_THAT(found.branches, IsEmpty());
}

TEST(DataDependence, ThroughSharedMemoryAsWell) {
  const auto found = of(R"(
  ld.global.u32 %r3, [%rd8];
  mov.u32 %r5, tile;
  shl.b32 %r6, %r2, 2;
  add.s32 %r7, %r5, %r6;
  st.shared.u32 [%r7], %r3;
  bar.sync 0;
  ld.shared.u32 %r8, [%r7+4];
  and.b32 %r9, %r8, 127;
  shl.b32 %r10, %r9, 2;
  add.s32 %r11, %r5, %r10;
  ld.shared.u32 %r12, [%r11];
  st.global.u32 [%rd9], %r12;)");
  EXPECT_THAT(found.addresses, ElementsAre(0));
}

TEST(DataDependence, ABranchAndAGuardOnDataAreBranches) {
  const auto branch = of(R"(
  ld.global.f32 %f1, [%rd8];
  setp.gt.f32 %p1, %f1, 0f00000000;
  @%p1 bra DONE;
  st.global.f32 [%rd9], %f1;
DONE:)");
  EXPECT_THAT(branch.branches, ElementsAre(0));
  EXPECT_THAT(branch.addresses, IsEmpty());
  const auto guard = of(R"(
  ld.global.f32 %f1, [%rd8];
  setp.gt.f32 %p1, %f1, 0f00000000;
  @%p1 st.global.f32 [%rd9], %f1;)");
  EXPECT_THAT(guard.branches, ElementsAre(0));
  const auto arithmetic = of(R"(
  ld.global.f32 %f1, [%rd8];
  setp.gt.f32 %p1, %f1, 0f00000000;
  @%p1 add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd9], %f1;)");
  EXPECT_TRUE(arithmetic.empty()) << "what is computed is no address";
}

TEST(DataDependence, AnIndexOfAnIndexNamesBoth) {
  const auto found = of(R"(
  ld.global.u32 %r3, [%rd8];
  mul.wide.u32 %rd10, %r3, 4;
  add.s64 %rd11, %rd5, %rd10;
  ld.global.u32 %r4, [%rd11];
  mul.wide.u32 %rd12, %r4, 4;
  add.s64 %rd13, %rd6, %rd12;
  st.global.u32 [%rd13], %r4;)");
  EXPECT_THAT(found.addresses, ElementsAre(0, 1));
}

TEST(DataDependence, WhatAnAtomicReturnsIsWhatMemoryHeld) {
  const auto found = of(R"(
  atom.global.add.u32 %r3, [%rd5], 1;
  mul.wide.u32 %rd10, %r3, 4;
  add.s64 %rd11, %rd6, %rd10;
  st.global.u32 [%rd11], %r2;)");
  EXPECT_THAT(found.addresses, ElementsAre(1));
}

}  // namespace
}  // namespace warplens::ptx
