// A and B of wmma out of shared memory are fetched as ldmatrix fetches matrices: the registers must be those
// that the same matrix in global memory gives, and there are as many accesses as LDSM instructions in the
// machine code (ptxas 13.0, sm_90).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/simt/core_machine.h"

namespace warplens::simt::core {
namespace {

struct SharedLoads : trace::Listener {
  int count = 0;
  std::unique_ptr<trace::Listener> fork() const override { return std::make_unique<SharedLoads>(); }
  void join(trace::Listener& other) override { count += static_cast<SharedLoads&>(other).count; }
  Wants wants() const override { return {.accesses = true}; }
  void on_access(const trace::Access& access) override {
    count += access.space == trace::Space::Shared && access.kind == trace::SiteKind::MatrixLoad;
  }
};

// Copies 4096 bytes to shared memory, loads a fragment from there and from where they came, and writes which
// registers differ.
std::string kernel(const std::string& form, const std::string& type, int registers, int stride) {
  std::string global, shared, compare;
  for (int i = 0; i < registers; ++i) {
    global += fmt::format("{}%r{}", i == 0 ? "" : ", ", 10 + i);
    shared += fmt::format("{}%r{}", i == 0 ? "" : ", ", 30 + i);
    compare += fmt::format("xor.b32 %r50, %r{}, %r{}; or.b32 %r9, %r9, %r50;\n", 10 + i, 30 + i);
  }
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .b32 %r<60>;
  .reg .b64 %rd<9>;
  .reg .pred %p<3>;
  .shared .align 128 .b8 tile[4096];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, 0;
COPY:
  shl.b32 %r4, %r1, 2;
  add.s32 %r4, %r4, %r3;
  cvt.u64.u32 %rd3, %r4;
  add.s64 %rd3, %rd3, %rd1;
  ld.global.b32 %r5, [%rd3];
  add.s32 %r6, %r2, %r4;
  st.shared.b32 [%r6], %r5;
  add.s32 %r3, %r3, 128;
  setp.lt.u32 %p1, %r3, 4096;
  @%p1 bra COPY;
  bar.warp.sync -1;
  mov.u32 %r7, {stride};
  wmma.load.{form}.global.{type} {{{global}}}, [%rd1], %r7;
  wmma.load.{form}.shared.{type} {{{shared}}}, [%r2], %r7;
  mov.u32 %r9, 0;
{compare}
  shl.b32 %r4, %r1, 2;
  cvt.u64.u32 %rd3, %r4;
  add.s64 %rd3, %rd3, %rd2;
  st.global.b32 [%rd3], %r9;
  ret;
}})",
                     fmt::arg("stride", stride), fmt::arg("form", form), fmt::arg("type", type),
                     fmt::arg("global", global), fmt::arg("shared", shared), fmt::arg("compare", compare));
}

struct Row {
  const char* form;
  const char* type;
  int registers, stride, accesses;
};

class WmmaFromShared : public testing::TestWithParam<Row> {};

TEST_P(WmmaFromShared, GivesTheSameRegisters) {
  const Row& row = GetParam();
  auto parsed = ptx::parse(kernel(row.form, row.type, row.registers, row.stride));
  ASSERT_TRUE(parsed) << parsed.error().text();
  const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
  SharedLoads loads;
  const Finished run =
      run_module(module, "k", {1}, {32}, {"buf:u32:1024:hash", "buf:u32:32:const:1"}, {}, 0, {&loads});
  ASSERT_TRUE(run.completed()) << run.error;
  for (const std::uint32_t different : run.buffer<std::uint32_t>(1)) EXPECT_EQ(different, 0u);
  EXPECT_EQ(loads.count, row.accesses);
}

INSTANTIATE_TEST_SUITE_P(Forms, WmmaFromShared,
                         testing::Values(Row{"a.sync.aligned.row.m16n16k16", "f16", 8, 24, 1},
                                         Row{"b.sync.aligned.row.m16n16k16", "f16", 8, 40, 1},
                                         Row{"a.sync.aligned.col.m16n16k16", "bf16", 4, 16, 1},
                                         Row{"b.sync.aligned.col.m16n16k16", "bf16", 4, 32, 1},
                                         Row{"a.sync.aligned.row.m32n8k16", "f16", 8, 16, 2},
                                         Row{"a.sync.aligned.col.m32n8k16", "bf16", 8, 40, 2},
                                         Row{"b.sync.aligned.row.m32n8k16", "bf16", 2, 8, 1},
                                         Row{"a.sync.aligned.col.m8n32k16", "bf16", 2, 8, 1},
                                         Row{"b.sync.aligned.col.m8n32k16", "bf16", 8, 24, 2},
                                         Row{"b.sync.aligned.row.m8n32k16", "f16", 8, 40, 2},
                                         Row{"a.sync.aligned.row.m16n16k16", "s8", 2, 32, 1},
                                         Row{"b.sync.aligned.col.m16n16k16", "u8", 2, 16, 1},
                                         Row{"a.sync.aligned.row.m32n8k16", "u8", 4, 16, 2},
                                         Row{"b.sync.aligned.col.m32n8k16", "s8", 1, 16, 1},
                                         Row{"a.sync.aligned.col.m16n16k16", "s8", 2, 16, 0}));

}  // namespace
}  // namespace warplens::simt::core
