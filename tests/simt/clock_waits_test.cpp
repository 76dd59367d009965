// Kernels that wait for a clock in a loop end soon, whatever they wait for; other readings of clocks are left
// alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

std::shared_ptr<const ptx::Module> parsed(const std::string& body) {
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 cycles, .param .u64 flag)
{
  .reg .pred %p<9>;
  .reg .b32 %r<19>;
  .reg .b64 %rd<19>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [cycles];
  ld.param.u64 %rd10, [flag];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd10, %rd10;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd3, %r4, 8;
  add.s64 %rd1, %rd1, %rd3;
)" + body + R"(
  st.global.u64 [%rd1], %rd9;
  ret;
}
)";
  auto module = ptx::parse(text, {.file = "clock.ptx"});
  EXPECT_TRUE(module) << module.error().text();
  return std::make_shared<const ptx::Module>(std::move(*module));
}

bool said_so(const Finished& run) {
  return std::ranges::any_of(run.outcome.notes,
                             [](const Message& note) { return note.key == "note.clock_wait"; });
}

Finished wait(const std::string& body, Dim3 grid, Dim3 block, std::uint64_t cycles,
              std::uint64_t budget = 50'000'000) {
  Options options;
  options.budget = budget;
  options.keep_buffers = true;
  const std::uint64_t threads = grid.volume() * block.volume();
  return run_module(
      parsed(body), "k", grid, block,
      {"buf:u64:" + std::to_string(threads) + ":zero", "u64:" + std::to_string(cycles), "buf:u32:1:zero"},
      options);
}

// while (clock64() - begin < cycles) {}
const std::string kSpin = R"(
  mov.u64 %rd4, %clock64;
$again:
  mov.u64 %rd5, %clock64;
  sub.s64 %rd9, %rd5, %rd4;
  setp.lt.u64 %p1, %rd9, %rd2;
  @%p1 bra $again;
)";

TEST(ClockWaits, EndSoonAndLastAtMostAQuarterLonger) {
  for (const auto& [grid, block] : {std::pair<Dim3, Dim3>{{1}, {1}}, {{4}, {96}}, {{7}, {85}}, {{64}, {256}}})
    for (const std::uint64_t cycles : {1'000ull, 10'000ull, 1'980'000'000ull, 100'000'000'000ull}) {
      const Finished run = wait(kSpin, grid, block, cycles);
      ASSERT_TRUE(run.completed()) << cycles << run.error;
      EXPECT_TRUE(said_so(run));
      for (const std::uint64_t took : run.buffer<std::uint64_t>(0)) {
        EXPECT_GE(took, cycles);
        EXPECT_LE(static_cast<double>(took), 1.26 * static_cast<double>(cycles) + 100);
      }
    }
}

TEST(ClockWaits, OfTheGlobalTimerEndTooAndMayNap) {
  const std::string body = R"(
  mov.u64 %rd4, %globaltimer;
$again:
  nanosleep.u32 100;
  mov.u64 %rd5, %globaltimer;
  sub.s64 %rd9, %rd5, %rd4;
  setp.lt.u64 %p1, %rd9, %rd2;
  @%p1 bra $again;
)";
  const std::uint64_t hour = 3'600'000'000'000ull;
  const Finished run = wait(body, {2}, {64}, hour);
  ASSERT_TRUE(run.completed()) << run.error;
  for (const std::uint64_t took : run.buffer<std::uint64_t>(0)) EXPECT_GE(took, hour);
}

// Lanes of a warp that wait for different times.
TEST(ClockWaits, EachLaneWaitsForItsOwnTime) {
  const std::string body = R"(
  cvt.u64.u32 %rd6, %r3;
  mul.lo.u64 %rd2, %rd2, %rd6;
)" + kSpin;
  const Finished run = wait(body, {1}, {32}, 1'000'000);
  ASSERT_TRUE(run.completed()) << run.error;
  const auto took = run.buffer<std::uint64_t>(0);
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_GE(took[lane], lane * 1'000'000) << lane;
}

// A loop that is measured, turn by turn: what its turns take is not touched.
TEST(ClockWaits, AMeasurementIsNone) {
  const std::string body = R"(
  mov.u32 %r7, 0;
  mov.u64 %rd9, 0;
$again:
  mov.u64 %rd4, %clock64;
  ld.volatile.global.u32 %r8, [%rd10];
  mov.u64 %rd5, %clock64;
  sub.s64 %rd6, %rd5, %rd4;
  max.u64 %rd9, %rd9, %rd6;
  add.s32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 1000;
  @%p1 bra $again;
)";
  const Finished run = wait(body, {2}, {64}, 0);
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_FALSE(said_so(run));
  for (const std::uint64_t most : run.buffer<std::uint64_t>(0)) EXPECT_LE(most, 16u);
}

// Somebody who asks a flag and the clock is waiting for somebody else, who must have the time that the clock
// gives.
TEST(ClockWaits, WhoAsksAFlagAsWellIsNotHurried) {
  const std::string body = R"(
  mov.u64 %rd4, %clock64;
$again:
  ld.volatile.global.u32 %r8, [%rd10];
  setp.ne.u32 %p2, %r8, 0;
  mov.u64 %rd5, %clock64;
  sub.s64 %rd9, %rd5, %rd4;
  @%p2 bra $done;
  setp.lt.u64 %p1, %rd9, %rd2;
  @%p1 bra $again;
$done:
)";
  const Finished run = wait(body, {1}, {32}, 20'000);
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_FALSE(said_so(run));
  for (const std::uint64_t took : run.buffer<std::uint64_t>(0)) EXPECT_LE(took, 20'100u);
}

// Whoever waits for a flag that nobody sets any more, or for the clock, goes on by the clock.
const std::string kFlagOrTime = R"(
  mov.u64 %rd4, %CLOCK;
$again:
  ld.volatile.global.u32 %r8, [%rd10];
  setp.ne.u32 %p2, %r8, 0;
  @%p2 bra $done;
  mov.u64 %rd5, %CLOCK;
  sub.s64 %rd9, %rd5, %rd4;
  setp.lt.u64 %p1, %rd9, %rd2;
  @%p1 bra $again;
$done:
)";

std::string with_clock(std::string body, const std::string& clock) {
  for (std::size_t at; (at = body.find("CLOCK")) != std::string::npos;) body.replace(at, 5, clock);
  return body;
}

TEST(ClockWaits, WhoAsksAFlagThatNobodySetsGoesOnByTheClock) {
  for (const std::string clock : {"clock64", "globaltimer"})
    for (const std::uint64_t cycles : {10'000'000'000ull, 100'000'000'000ull}) {
      const Finished run = wait(with_clock(kFlagOrTime, clock), {3}, {2}, cycles, 10'000'000'000);
      ASSERT_TRUE(run.completed()) << clock << cycles << run.error;
      EXPECT_TRUE(std::ranges::any_of(run.outcome.notes,
                                      [](const Message& note) { return note.key == "note.clock_timeout"; }));
      for (const std::uint64_t took : run.buffer<std::uint64_t>(0)) EXPECT_GE(took, cycles);
    }
}

TEST(ClockWaits, WhoMeasuresHowLongAFlagTakesWaitsInVain) {
  const std::string body = R"(
$again:
  ld.volatile.global.u32 %r8, [%rd10];
  mov.u64 %rd9, %clock64;
  setp.eq.u32 %p2, %r8, 0;
  @%p2 bra $again;
)";
  const Finished run = wait(body, {1}, {1}, 0, 10'000'000'000);
  EXPECT_THAT(told(run.fault(trace::FaultKind::Deadlock)), ::testing::HasSubstr("nobody changes"));
}

}  // namespace
}  // namespace warplens::simt::core
