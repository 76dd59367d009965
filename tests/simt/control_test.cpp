// Divergence, barriers, calls and everything else that decides who runs when.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <utility>

#include "tests/simt/core_machine.h"
#include "tests/told.h"

namespace warplens::simt::core {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using trace::FaultKind;

int nested_reference(int v) {
  int r = 0;
  if ((v & 1) != 0) {
    for (int k = 0; k < (v & 15); ++k) {
      if (k % 3 == 1) continue;
      r += k * v;
      if (r > 4000) break;
    }
    return r;
  }
  switch (v % 6) {
    case 0:
      r = v * 3;
      break;
    case 2:
      r = v - 7 + 11;
      break;
    case 4:
      r = 11;
      break;
    default:
      r = -1;
  }
  return v > 1000 ? r * 2 : r;
}

TEST(Control, NestedBranchesAndLoops) {
  const Finished run = launch("nested", {20}, {64}, {"buf:i32:1280:zero", "buf:i32:1280:iota"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (int i = 0; i < 1280; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], nested_reference(i)) << i;
}

int unstructured_reference(int v) {
  int r = 0;
  v &= 63;
again:
  r += 1;
  if ((v & 1) != 0) goto odd;
  v >>= 1;
  if (v > 9) goto again;
  if (v == 0) return r;
odd:
  v = v * 3 + 1;
  r += 10;
  if (r < 200 && v > 1) {
    v >>= 1;
    goto again;
  }
  return r;
}

TEST(Control, UnstructuredJumps) {
  const Finished run = launch("unstructured", {4}, {96}, {"buf:i32:384:zero", "buf:i32:384:mod:1000"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0), in = run.buffer<int>(1);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], unstructured_reference(in[i])) << i;
}

TEST(Control, ThreadsThatEndedDropOutOfBarriers) {
  const Finished run = launch("early_exit", {1}, {64}, {"buf:i32:64:zero", "i32:40"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], i < 40 ? 780 : 0);
}

TEST(Control, BarrierReductions) {
  const Finished run = launch("barrier_reductions", {1}, {96}, {"buf:i32:96:zero", "buf:i32:96:iota"});
  ASSERT_TRUE(run.completed()) << run.error;
  for (const int value : run.buffer<int>(0)) EXPECT_EQ(value, 95 * 4 + 2);
}

TEST(Control, NamedBarriersCountThreads) {
  for (const auto schedule : {Options::Schedule::RoundRobin, Options::Schedule::Reversed}) {
    const Finished run = launch("named_barriers", {2}, {128}, {"buf:i32:64:zero"}, with(0, schedule));
    ASSERT_TRUE(run.completed()) << run.error;
    const auto out = run.buffer<int>(0);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], static_cast<int>(i) * 3);
  }
}

TEST(Control, ABarrierOnBothSidesOfABranchIsOne) {
  const Finished run = launch("both_sides_barrier", {1}, {64}, {"buf:i32:64:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i % 2 == 1 ? 63 - i : i - 63);
}

TEST(Control, ADivergentBarrierIsAFaultNotAHang) {
  const Finished run = launch("divergent_barrier", {1}, {64}, {"buf:i32:64:zero"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  const trace::Fault fault = run.fault(FaultKind::DivergentBarrier);
  EXPECT_GT(fault.line, 0);
  EXPECT_THAT(told(fault), HasSubstr("48 of 64 threads"));
  // Who waits is on the line of the if; who went around it waits behind that.
  EXPECT_THAT(told(fault), HasSubstr("Thread (16,0,0) went another way"));
  EXPECT_THAT(told(fault), HasSubstr(fmt::format("on line {}", fault.line + 1)));
  EXPECT_THAT(told(fault), HasSubstr("move it out of the if"));
}

TEST(Control, ABarrierInALoopThatSomeHaveLeftIsNotToldAsOneInABranch) {
  const Finished run = launch("loop_left", {1}, {64}, {"buf:i32:64:zero"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  const trace::Fault fault = run.fault(FaultKind::DivergentBarrier);
  EXPECT_THAT(told(fault), HasSubstr("It stands in a loop that thread (0,0,0) has left"));
  EXPECT_THAT(told(fault), HasSubstr("the same number of turns"));
  EXPECT_THAT(told(fault), Not(HasSubstr("out of the if")));
}

TEST(Control, LanesThatWaitForEachOtherMakeProgress) {
  const Finished run = launch("lane_lock", {2}, {64}, {"buf:i32:1:zero", "buf:i32:1:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_EQ(run.buffer<int>(1)[0], 128);
  EXPECT_THAT(run.outcome.notes, Contains(Message{"note.independent_scheduling", {}}));
  // 128 threads ask until they have it, and whoever has it gives it back before the others of its warp ask
  // again: as on an H200. Seen: lanes that had it waited behind the loop for those that still asked,
  // thousands of times.
  EXPECT_LT(run.outcome.warp_instructions, 128u * 30u);
}

// Expected are an H100's results.
TEST(Control, AShuffleOfTheWholeWarpMayTurnDifferentlyOftenInItsHalves) {
  const Finished run = launch("halves", {1}, {32}, {"buf:i32:32:zero", "i32:3"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto sum = [](int turns) {
    int all = 0;
    for (int i = 0; i < turns; ++i)
      for (int lane = 0; lane < 16; ++lane) all += i + lane;
    return all;
  };
  const auto out = run.buffer<int>(0);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], sum(i < 16 ? 3 : 7)) << i;
}

// What lanes below 10 and the others pass to the operation.
int low_value(int lane) {
  return (lane + 1) * 3;
}
int high_value(int lane) {
  return lane + 10;
}

TEST(Control, LanesOnBothSidesOfABranchCarryOutOneOperation) {
  const auto value = [](int lane) { return lane < 10 ? low_value(lane) : high_value(lane); };
  std::uint32_t ballot = 0;
  int sum = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((value(lane) & (lane < 10 ? 1 : 2)) != 0) ballot |= 1u << lane;
    sum += value(lane);
  }
  for (int which = 0; which < 7; ++which) {
    const Finished run =
        launch("both_sides_sync", {1}, {32}, {"buf:i32:66:zero", fmt::format("i32:{}", which)});
    ASSERT_TRUE(run.completed()) << which << run.error;
    EXPECT_THAT(run.outcome.notes, Contains(Field(&Message::key, "note.several_places"))) << which;
    const auto out = run.buffer<int>(0);
    for (int lane = 0; lane < 32; ++lane) {
      int expected = 0;
      const int distance = lane < 10 ? 1 : 2;
      std::uint32_t same = 0;
      for (int other = 0; other < 32; ++other) same |= std::uint32_t{value(other) == value(lane)} << other;
      switch (which) {
        case 0:
          expected = value(lane < 10 ? 20 : 5);
          break;
        case 1:
          expected = value(lane >= distance ? lane - distance : lane);
          break;
        case 2:
          expected = static_cast<int>(ballot);
          break;
        case 3:
          expected = 0;
          break;  // lane 9 has 30, lanes 10 have 20 and more
        case 4:
          expected = sum;
          break;
        case 5:
          expected = static_cast<int>(same);
          break;
        default:
          expected = -1;
          break;
      }
      EXPECT_EQ(out[static_cast<std::size_t>(lane)], expected) << which << ' ' << lane;
    }
    if (which == 6) {
      EXPECT_EQ(std::make_pair(out[32], out[33]), std::make_pair(1, 1));
    }
  }
}

TEST(Control, OperationsOfDifferentKindsDoNotMeet) {
  const Finished run = launch("both_sides_sync", {1}, {32}, {"buf:i32:66:zero", "i32:7"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  EXPECT_THAT(told(run.fault(FaultKind::Deadlock)), HasSubstr("lanes that never arrive"));
}

TEST(Control, BlocksThatWaitForEachOtherLiveTogether) {
  const Finished run =
      launch("grid_barrier", {50}, {64}, {"buf:i32:1:zero", "buf:i32:50:zero", "buf:i32:50:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  for (const int value : run.buffer<int>(2)) EXPECT_EQ(value, 1275);
}

TEST(Control, WaitingForNobodyIsADeadlock) {
  const Finished run = launch("wait_forever", {2}, {64}, {"buf:i32:1:zero"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  EXPECT_THAT(told(run.fault(FaultKind::Deadlock)), HasSubstr("nobody changes"));
}

TEST(Control, WaitingForABlockThatWasLeftOutSaysSo) {
  Options options;
  options.only_blocks = {1};
  const Finished run = launch("wait_forever", {2}, {64}, {"buf:i32:1:zero"}, options);
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  const trace::Fault fault = run.fault(FaultKind::Deadlock);
  EXPECT_THAT(told(fault), HasSubstr("block 1 waits for memory that only other blocks write"));
  EXPECT_THAT(told(fault, "zh"), HasSubstr("请运行全部线程块"));
}

TEST(Control, Trap) {
  const Finished run = launch("trap", {1}, {32}, {"buf:i32:32:zero"});
  const trace::Fault fault = run.fault(FaultKind::Trap);
  EXPECT_EQ(fault.thread.x, 3u);
}

TEST(Control, Recursion) {
  const Finished run = launch("recursion", {1}, {64}, {"buf:i32:64:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  const int fibonacci[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], fibonacci[i % 12]);
}

TEST(Control, RecursionWithoutEnd) {
  const Finished run = launch("endless_recursion", {1}, {32}, {"buf:i32:32:zero"});
  EXPECT_EQ(run.outcome.ending, Ending::Faulted);
  EXPECT_THAT(told(run.fault(FaultKind::StackOverflow)), HasSubstr("recursion"));
}

TEST(Control, StructsThroughCalls) {
  const Finished run = launch("structs", {1}, {32}, {"buf:f64:32:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<double>(0);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], (i + 1) + i * 1.0 + i);
}

// How often a warp stores to global memory.
struct Stores : trace::Listener {
  int count = 0;
  std::unique_ptr<trace::Listener> fork() const override { return std::make_unique<Stores>(); }
  void join(trace::Listener& other) override { count += static_cast<Stores&>(other).count; }
  Wants wants() const override { return {.accesses = true}; }
  void on_access(const trace::Access& access) override {
    count += access.space == trace::Space::Global && access.kind == trace::SiteKind::Store;
  }
};

TEST(Control, FunctionPointers) {
  Stores stores;
  const Finished run = launch("pointers", {1}, {64}, {"buf:i32:64:zero"}, {}, 0, {&stores});
  EXPECT_EQ(stores.count, 2);  // lanes that called different functions meet behind the call
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<int>(0);
  for (int i = 0; i < 64; ++i) {
    const int expected = i % 3 == 0 ? i * i : i % 3 == 1 ? -i : 2 * i * i;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], expected);
  }
}

TEST(Control, PrintfInTheOrderOfBlocks) {
  const Finished run = launch("say", {1}, {32}, {"i32:2"});
  ASSERT_TRUE(run.completed()) << run.error;
  EXPECT_EQ(run.outcome.output,
            "thread 0 of 32: 0.000 text x    -7%\n"
            "thread 1 of 32: 0.250 text x    -7%\n");
}

TEST(Control, AssertNamesItsCondition) {
  EXPECT_TRUE(launch("asserts", {1}, {32}, {"buf:i32:32:iota"}).completed());
  const Finished run = launch("asserts", {1}, {64}, {"buf:i32:64:iota"});
  const trace::Fault fault = run.fault(FaultKind::Assertion);
  EXPECT_THAT(told(fault), HasSubstr("in[threadIdx.x] < 40"));
  EXPECT_EQ(fault.thread.x, 40u);
}

TEST(Control, BranchTables) {
  auto parsed = ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry table(.param .u64 out)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  targets: .branchtargets A, B, C, A;
  brx.idx %r2, targets;
A: mov.u32 %r3, 100;
  bra.uni D;
B: mov.u32 %r3, 200;
  bra.uni D;
C: mov.u32 %r3, 300;
D: add.u32 %r4, %r3, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
})");
  ASSERT_TRUE(parsed) << parsed.error().text();
  const Finished run = run_module(std::make_shared<const ptx::Module>(std::move(*parsed)), "table", {1}, {32},
                                  {"buf:u32:32:zero"});
  ASSERT_TRUE(run.completed()) << run.error;
  const auto out = run.buffer<std::uint32_t>(0);
  constexpr std::uint32_t kBase[] = {100, 200, 300, 100};
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], kBase[i & 3] + i);
}

}  // namespace
}  // namespace warplens::simt::core
