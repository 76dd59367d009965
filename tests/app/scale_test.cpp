// Launches far larger than anyone waits for: bounded time and memory, and what was covered is said.
#include <gtest/gtest.h>

#include "app/model/run/pipeline.h"
#include "app/model/run/sampling.h"
#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens::model {
namespace {

std::shared_ptr<const Program> core() {
  ProgramRequest request;
  request.file = tests::source_dir() + "/tests/simt/data/core.ptx";
  auto program = load_program(request);
  EXPECT_TRUE(program) << program.error().text();
  return program ? *program : nullptr;
}

RunRequest request_of(const char* kernel, Dim3 grid, Dim3 block, const std::vector<std::string>& arguments) {
  RunRequest request;
  request.program = core();
  request.launch.kernel = kernel;
  request.launch.grid = grid;
  request.launch.block = block;
  for (const std::string& text : arguments) request.launch.arguments.push_back(*trace::parse_argument(text));
  return request;
}

TEST(Scale, TwoToThe31ThreadsAreSampledAndSaySo) {
  RunRequest request =
      request_of("copy", {1u << 23}, {256}, {"buf:f32:1048576:zero", "buf:f32:1048576:iota", "i32:1048576"});
  request.options.memory_cap = std::uint64_t{32} << 20;
  request.options.only_blocks = sampled_blocks(request.launch, 0);
  const std::uint64_t sampled = request.options.only_blocks.size();
  ASSERT_GT(sampled, 0u);
  EXPECT_EQ(request.options.only_blocks.back(), (1u << 23) - 1);
  const auto run = execute(request);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ((*run)->report.blocks_total, 1u << 23);
  EXPECT_EQ((*run)->report.blocks_run, sampled);
  EXPECT_LE(sampled * 256, kThreadsRunWhole);
  // Of the whole grid only the first 2^20 threads have work: the sampled blocks among them did it.
  EXPECT_EQ((*run)->report.totals.global_load.requests, (sampled + 2047) / 2048 * 8);
}

// What is kept of a launch does not grow with its blocks, but with those that are asked for.
TEST(Scale, BlocksThatNobodyAskedForLeaveNothingBehind) {
  RunRequest request = request_of("copy", {1u << 18}, {1}, {"buf:f32:64:zero", "buf:f32:64:iota", "i32:64"});
  request.recorder.chosen = {5, 70000};
  const auto run = execute(request);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ((*run)->report.blocks_run, 1u << 18);
  ASSERT_EQ((*run)->trace.blocks().size(), 2u);
  EXPECT_EQ((*run)->report.blocks_traced, 2u);
  EXPECT_EQ((*run)->trace.blocks()[1].block, 70000u);
}

TEST(Scale, WhatDoesNotFitUnderTheCapIsRefusedAtOnce) {
  RunRequest request = request_of("copy", {1u << 23}, {256},
                                  {"buf:f32:2147483648:zero", "buf:f32:2147483648:iota", "i32:2147483647"});
  const auto run = execute(request);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::Usage);
  EXPECT_NE(run.error().text().find("may be used"), std::string::npos) << run.error().text();
}

struct Size {
  std::size_t accesses = 0, steps = 0;
  double an_access = 0, a_step = 0;  // bytes of everything that is stored
};

Size size_of_trace(const char* kernel, Dim3 grid, Dim3 block, const std::vector<std::string>& arguments) {
  RunRequest request = request_of(kernel, grid, block, arguments);
  request.recorder.blocks = grid.volume();
  const auto run = execute(request);
  EXPECT_TRUE(run) << run.error().text();
  if (!run) return {};
  const trace::Trace& trace = (*run)->trace;
  EXPECT_FALSE(trace.truncated());
  Size size;
  size.steps = trace.size();
  for (std::size_t i = 0; i < trace.size(); ++i)
    size.accesses += trace.steps()[i].kind == trace::StepKind::Access;
  const auto bytes = static_cast<double>(trace.memory_bytes());
  size.an_access = bytes / static_cast<double>(size.accesses);
  size.a_step = bytes / static_cast<double>(size.steps);
  testing::Test::RecordProperty(std::string(kernel) + "_bytes_an_access", std::to_string(size.an_access));
  testing::Test::RecordProperty(std::string(kernel) + "_bytes_a_step", std::to_string(size.a_step));
  return size;
}

// An access with the branches, masks and barriers around it: everything the trace holds over its accesses.
TEST(Scale, AStoredAccessTakesLessThan24BytesWithAllThatBelongsToIt) {
  struct Row {
    const char* kernel;
    Dim3 grid, block;
    std::vector<std::string> arguments;
    std::size_t least;
  };
  const Row rows[] = {
      {"copy", {2048}, {256}, {"buf:f32:524288:zero", "buf:f32:524288:iota", "i32:524288"}, 30'000},
      {"strided",
       {1024},
       {256},
       {"buf:f32:262144:zero", "buf:f32:262144:iota", "i32:262144", "i32:32"},
       16'000},
      {"transpose", {16, 16}, {32, 8}, {"buf:f32:262144:zero", "buf:f32:262144:iota", "i32:512"}, 30'000},
      {"matmul",
       {8, 8},
       {16, 16},
       {"buf:f32:16384:zero", "buf:f32:16384:hash", "buf:f32:16384:hash", "i32:128"},
       140'000},
  };
  for (const Row& row : rows) {
    const Size size = size_of_trace(row.kernel, row.grid, row.block, row.arguments);
    EXPECT_GE(size.accesses, row.least) << row.kernel;
    EXPECT_LE(size.an_access, 20.0) << row.kernel;
  }
}

// Where lanes part, most of a trace are branches and masks; where addresses are random, most are distances.
TEST(Scale, DivergentAndRandomKernelsTakeLittleAStep) {
  const Size mandelbrot = size_of_trace("mandelbrot", {16, 16}, {16, 16},
                                        {"buf:i32:65536:zero", "i32:256", "i32:256", "i32:256"});
  EXPECT_GE(mandelbrot.steps, 100'000u);
  EXPECT_LE(mandelbrot.a_step, 6.0);
  const Size histogram =
      size_of_trace("histogram", {64}, {256}, {"buf:i32:256:zero", "buf:i32:65536:hash", "i32:65536"});
  EXPECT_GE(histogram.accesses, 4000u);
  EXPECT_LE(histogram.a_step, 13.0);
}

}  // namespace
}  // namespace warplens::model
