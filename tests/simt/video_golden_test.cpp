// The scalar video instructions against what an H200 computed (golden/video.txt).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/simt/core_machine.h"
#include "tests/support/places.h"

namespace warplens::simt::core {
namespace {

// A kernel of one instruction over %a, %b and %c of each thread.
std::string kernel(const std::string& instruction) {
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z, .param .u64 out)
{{
  .reg .b32 %a, %b, %c, %d, %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u64 %rd3, [z];
  ld.param.u64 %rd4, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd1, %rd1, %rd5;
  add.s64 %rd2, %rd2, %rd5;
  add.s64 %rd3, %rd3, %rd5;
  add.s64 %rd4, %rd4, %rd5;
  ld.global.u32 %a, [%rd1];
  ld.global.u32 %b, [%rd2];
  ld.global.u32 %c, [%rd3];
  {};
  st.global.u32 [%rd4], %d;
  ret;
}})",
                     instruction);
}

TEST(VideoGolden, SumsOfAnH200) {
  const std::vector<std::vector<std::string>> operands{
      {"buf:u32:180:hash", "buf:u32:180:perm:7", "buf:u32:180:hash", "buf:u32:180:zero"},
      {"buf:u32:180:perm:11", "buf:u32:180:hash", "buf:u32:180:mod:1000", "buf:u32:180:zero"},
      {"buf:u32:180:hash", "buf:u32:180:mod:40", "buf:u32:180:iota", "buf:u32:180:zero"}};
  std::ifstream in(tests::source_dir() + "/tests/simt/golden/video.txt");
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::string instruction = line.substr(0, line.find(';'));
    SCOPED_TRACE(instruction);
    std::istringstream sums(line.substr(instruction.size() + 1));
    auto parsed = ptx::parse(kernel(instruction));
    ASSERT_TRUE(parsed) << parsed.error().text();
    const auto module = std::make_shared<const ptx::Module>(std::move(*parsed));
    for (const auto& arguments : operands) {
      std::uint64_t expected = 0, sum = 0;
      ASSERT_TRUE(sums >> expected);
      const Finished run = run_module(module, "k", {1}, {180}, arguments);
      ASSERT_TRUE(run.completed()) << run.error;
      const auto out = run.buffer<std::uint32_t>(3);
      for (std::size_t i = 0; i < out.size(); ++i) sum += std::uint64_t{out[i]} * (1 + i % 7);
      EXPECT_EQ(sum, expected);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 41);
}

}  // namespace
}  // namespace warplens::simt::core
