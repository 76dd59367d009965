// Shared memory that the driver reserves for libraries: behind the kernel's own here, never uninitialised,
// never part of a race, and distinct from what the kernel declares.
#include <gtest/gtest.h>

#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

constexpr const char* kKernel = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 own[260];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %reserved_smem_offset_1;
  ld.shared.u32 %r3, [%r2+508];
  st.shared.u32 [%r2], %r1;
  mov.u32 %r4, own;
  shl.b32 %r5, %r1, 2;
  add.s32 %r4, %r4, %r5;
  st.shared.u32 [%r4], %r3;
  bar.sync 0;
  ld.shared.u32 %r6, [%r4];
  mov.u32 %r7, %total_smem_size;
  add.s32 %r6, %r6, %r7;
  cvt.u64.u32 %rd2, %r5;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
})";

TEST(ReservedShared, IsTheLibrarysOwn) {
  auto parsed = ptx::parse(kKernel);
  ASSERT_TRUE(parsed) << parsed.error().text();
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  const Finished run = run_module(module, "k", {1}, {64}, {"buf:u32:64:zero"}, all_checks(), 40);
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_TRUE(run.outcome.faults.empty()) << told(run.outcome.faults.front());
  for (const std::uint32_t value : run.buffer<std::uint32_t>(0)) EXPECT_GE(value, 260u + 40u);
  for (const std::uint32_t value : run.buffer<std::uint32_t>(0)) EXPECT_LT(value, 1024u);
}

}  // namespace
}  // namespace warplens::simt::core
