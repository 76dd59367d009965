// What a kernel is compiled for: the device's target, the nearest one that the compiler has, another one for
// the GPU at hand; and code that only one target has.
#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "app/model/run/pipeline.h"
#include "engine/analysis/device.h"
#include "engine/analysis/report.h"
#include "engine/base/message.h"
#include "engine/source/toolchain.h"
#include "visual/grid_costs.h"

namespace warplens::model {
namespace {

class Target : public testing::Test {
 protected:
  void SetUp() override {
    const source::Toolchain tools = source::find_toolchain(source::SearchPlaces::from_environment());
    if (tools.nvcc.path.empty() || tools.ptxas.path.empty()) GTEST_SKIP() << "nvcc or ptxas is not installed";
  }
};

ProgramRequest scale_for(const std::string& arch) {
  ProgramRequest request;
  request.file = "scale.cu";
  request.text = R"(__global__ void scale(float* data) {
#if __CUDA_ARCH__ >= 800
  data[threadIdx.x] *= 8.0f;
#else
  data[threadIdx.x] *= 7.0f;
#endif
}
)";
  request.arch = arch;
  request.or_near = true;
  return request;
}

std::string told_key(const Error& error) {
  return error.said ? error.said->key : std::string();
}

double last_element(const std::shared_ptr<const Program>& program) {
  RunRequest request;
  request.program = program;
  request.launch.kernel = "scale";
  request.launch.block = {32, 1, 1};
  request.launch.arguments = {*trace::parse_argument("buf:f32:32:const:1")};
  const auto run = execute(request);
  if (!run) return 0;
  float value = 0;
  std::memcpy(&value, (*run)->buffers.at(0).data(), sizeof value);
  return value;
}

TEST(DeviceTarget, IsItsComputeCapability) {
  const auto devices = analysis::DeviceCatalogue::load();
  ASSERT_TRUE(devices);
  EXPECT_EQ((*devices->device("B200"))->target(), "sm_100");
  EXPECT_EQ((*devices->device("L4"))->target(), "sm_89");
}

TEST_F(Target, DecidesWhichCodeIsCompiledAndFollowed) {
  for (const auto& [arch, factor, known] :
       {std::tuple{"sm_75", 7.0, Known::Rule}, std::tuple{"sm_86", 8.0, Known::MachineCode},
        std::tuple{"sm_100", 8.0, Known::Rule}}) {
    SCOPED_TRACE(arch);
    const auto program = load_program(scale_for(arch));
    ASSERT_TRUE(program) << program.error().text();
    EXPECT_EQ((*program)->arch, arch);
    EXPECT_EQ((*program)->module->target, arch);
    EXPECT_GT((*program)->ptxas.at(0).registers, 0);
    EXPECT_EQ(last_element(*program), factor);
    EXPECT_EQ((*program)->module->functions.at(0).machine.empty(), known == Known::Rule);
  }
}

TEST_F(Target, TheNearestOneIsSaid) {
  const auto program = load_program(scale_for("sm_50"));
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_NE((*program)->arch, "sm_50");
  ASSERT_EQ((*program)->ptx.remarks.size(), 1u);
  EXPECT_EQ((*program)->ptx.remarks[0].key, "compile.made.other_target");
  ProgramRequest no_other = scale_for("sm_50");
  no_other.or_near = false;
  EXPECT_FALSE(load_program(no_other));
}

TEST_F(Target, WhatItLacksIsNamed) {
  ProgramRequest request = scale_for("sm_80");
  request.text = R"(__global__ void arrive(unsigned long long* bar) {
  __shared__ unsigned long long mine;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(
      static_cast<unsigned>(__cvta_generic_to_shared(&mine))));
}
)";
  const auto old = load_program(request);
  ASSERT_FALSE(old);
  EXPECT_EQ(told_key(old.error()), "compile.target_too_old");
  request.arch = "sm_90";
  const auto newer = load_program(request);
  EXPECT_TRUE(newer) << newer.error().text();
}

TEST_F(Target, TheGpuAtHandGetsItsOwnCode) {
  const auto shown = load_program(scale_for("sm_75"));
  ASSERT_TRUE(shown) << shown.error().text();
  const auto same = for_target(*shown, "sm_75");
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, *shown);
  const auto other = for_target(*shown, "sm_90");
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ((*other)->arch, "sm_90");
  EXPECT_EQ(last_element(*other), 8.0);
}

// Eight words a lane, which sm_100 is the first to have: every lane moves a whole sector.
constexpr const char* kWide = R"(.version 8.8
.target sm_100
.address_size 64
.visible .entry wide(.param .u64 in, .param .u64 out, .param .u32 step)
{
  .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .f32 %f<9>; .reg .f64 %d<5>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [step];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r1, %r1, %r2;
  mul.wide.u32 %rd3, %r1, 32;
  add.s64 %rd4, %rd1, %rd3;
  mul.wide.u32 %rd5, %r2, 32;
  add.s64 %rd6, %rd2, %rd5;
  ld.global.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [%rd4];
  st.global.v8.f32 [%rd6], {%f8,%f7,%f6,%f5,%f4,%f3,%f2,%f1};
  ld.global.v4.f64 {%d1,%d2,%d3,%d4}, [%rd4];
  st.global.v4.f64 [%rd6+1024], {%d4,%d3,%d2,%d1};
  ret;
}
)";

TEST(WideAccess, IsASectorALane) {
  ProgramRequest request;
  request.file = "wide.ptx";
  request.text = kWide;
  const auto program = load_program(request);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ((*program)->arch, "sm_100");  // the text's, whatever was asked for
  RunRequest run_request;
  run_request.program = *program;
  run_request.device = "B200";
  run_request.launch.kernel = "wide";
  run_request.launch.block = {32, 1, 1};
  for (const char* argument : {"buf:f32:512:iota", "buf:f32:512:zero", "i32:2"})
    run_request.launch.arguments.push_back(*trace::parse_argument(argument));
  const auto run = execute(run_request);
  ASSERT_TRUE(run) << run.error().text();
  const analysis::Report& report = (*run)->report;
  EXPECT_EQ(report.ending, analysis::Ending::Completed);
  EXPECT_EQ(report.totals.global_load.requests, 2u);
  EXPECT_EQ(report.totals.global_load.sectors, 64u);
  EXPECT_EQ(report.totals.global_load.sectors_ideal, 64u);
  EXPECT_EQ(report.totals.global_load.lines, 32u);   // 2 KB each, one sector of every second
  EXPECT_EQ(report.totals.global_store.lines, 16u);  // 1 KB each
  EXPECT_EQ(report.totals.global_store.sectors, 64u);
  // The same in what the views are drawn from.
  const visual::GridCosts costs = visual::collect_grid_costs((*run)->trace);
  ASSERT_EQ(costs.warps.size(), 1u);
  EXPECT_EQ(costs.warps[0].sectors, 128u);
  // Lane 3 reads words 48 to 55; its stores turn them round, as words and as pairs.
  const auto word = [&](std::size_t index) {
    float value = 0;
    std::memcpy(&value, (*run)->buffers.at(1).data() + 4 * index, sizeof value);
    return value;
  };
  EXPECT_EQ(word(24), 55.0f);
  EXPECT_EQ(word(31), 48.0f);
  EXPECT_EQ(word(256 + 24), 54.0f);
  EXPECT_EQ(word(256 + 31), 49.0f);
}

}  // namespace
}  // namespace warplens::model
