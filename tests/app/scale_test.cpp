// Launches far larger than anyone waits for: bounded time and memory, and what was covered is said.
#include <gtest/gtest.h>

#include "app/model/pipeline.h"
#include "app/model/sampling.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

std::shared_ptr<const Program> core() {
  ProgramRequest request;
  request.file = std::string(WARPLENS_SOURCE_DIR) + "/tests/simt/data/core.ptx";
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

TEST(Scale, WhatDoesNotFitUnderTheCapIsRefusedAtOnce) {
  RunRequest request = request_of("copy", {1u << 23}, {256},
                                  {"buf:f32:2147483648:zero", "buf:f32:2147483648:iota", "i32:2147483647"});
  const auto run = execute(request);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::Usage);
  EXPECT_NE(run.error().text().find("cap"), std::string::npos) << run.error().text();
}

// From the storage itself: steps and patterns of everything that happened, over the accesses among them.
double bytes_an_access(const trace::Trace& trace, std::size_t& accesses) {
  std::size_t others = 0;
  accesses = 0;
  for (const trace::Step& step : trace.steps())
    (step.kind == trace::StepKind::Access ? accesses : others) += 1;
  return static_cast<double>(trace.memory_bytes() - others * sizeof(trace::Step)) /
         static_cast<double>(accesses);
}

TEST(Scale, AStoredAccessTakes24Bytes) {
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
    RunRequest request = request_of(row.kernel, row.grid, row.block, row.arguments);
    request.recorder.blocks = row.grid.volume();
    const auto run = execute(request);
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_FALSE((*run)->trace.truncated());
    std::size_t accesses = 0;
    const double bytes = bytes_an_access((*run)->trace, accesses);
    EXPECT_GE(accesses, row.least) << row.kernel;
    // The patterns of a block and its entry in the index are shared by its accesses.
    EXPECT_LE(bytes, 24.0 * 1.1) << row.kernel;
    RecordProperty(std::string(row.kernel) + "_bytes_an_access", std::to_string(bytes));
  }
}

}  // namespace
}  // namespace warplens::model
