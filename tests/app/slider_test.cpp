// What a slider changes is the launch: nothing that follows from the text alone is worked out again.
#include <gtest/gtest.h>

#include "app/model/run/as_written.h"
#include "app/model/run/pipeline.h"
#include "engine/ptx/lowering/lowering.h"

namespace warplens::model {
namespace {

constexpr const char* kSlidText =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 r) twice (.param .b32 a) {\n.reg .b32 %r<3>;\nld.param.u32 %r1, [a];\n"
    "shl.b32 %r2, %r1, 1;\nst.param.b32 [r], %r2;\nret;\n}\n"
    ".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>;\n.reg .b32 %r<6>;\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
    "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r1;\ncall.uni (r), twice, (a);\n"
    "ld.param.b32 %r2, [r];\n}\n"
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r2;\nret;\n}\n";

TEST(Slider, FactsOfAnUnchangedTextAreWorkedOutOnce) {
  ProgramRequest wanted;
  wanted.file = "k.ptx";
  wanted.text = kSlidText;
  const auto program = load_program(wanted);
  ASSERT_TRUE(program) << program.error().text();
  const std::uint64_t before = ptx::times_lowered();
  RunRequest request;
  request.program = *program;
  request.launch.kernel = "k";
  request.launch.arguments.push_back(*trace::parse_argument("buf:u32:1024:zero"));
  request.launch.block = {32, 1, 1};
  const auto first = execute(request);
  ASSERT_TRUE(first) << first.error().text();
  const std::uint64_t made = ptx::times_lowered();
  EXPECT_EQ(made, before + 2);  // the kernel and the function that it calls
  for (const std::uint32_t threads : {64u, 128u, 96u}) {
    request.launch.block.x = threads;
    const auto run = execute(request);
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ((*run)->report.totals.global_store.requests, threads / 32);
  }
  ASSERT_TRUE(execute_as_written(request));
  EXPECT_EQ(ptx::times_lowered(), made);
  const auto kernel = (*program)->kernel("k"), again = (*program)->kernel("k");
  ASSERT_TRUE(kernel && again);
  EXPECT_EQ(&kernel->program(), &again->program());
}

TEST(Slider, AKernelThatDoesNotLoadSaysSoEachTime) {
  ProgramRequest wanted;
  wanted.file = "k.ptx";
  wanted.text = kSlidText;
  const auto program = load_program(wanted);
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_FALSE((*program)->kernel("missing"));
  EXPECT_FALSE((*program)->kernel("missing"));
}

}  // namespace
}  // namespace warplens::model
