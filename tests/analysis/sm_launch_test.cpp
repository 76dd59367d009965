// When an SM is given blocks, and what those find that begin together, as an H200 does it
// (tests/models/golden/launch_order_h200.txt, made by tools/golden/launch_order.cu).
#include "engine/analysis/sm_launch.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

SmSetup with_room(int blocks) {
  SmSetup s;
  s.blocks = static_cast<std::uint64_t>(blocks);
  s.resident_blocks = blocks;
  s.l2_sectors_a_cycle = s.dram_sectors_a_cycle = 1e6;
  s.block_cycles = 154;
  s.warp_cycles = 1;
  s.fill_cycles = 23;
  s.turnover_cycles = 270;
  return s;
}

// Blocks of one warp begin 24 cycles apart, those of eight 31.
TEST(SmLaunch, ThereIsRoomForBlocksAndTheyComeFast) {
  const SmSetup setup = with_room(32);
  BlockLaunch small(setup), large(setup);
  for (Cycle k = 0; k < 20; ++k) {
    EXPECT_EQ(small.next(0, 1).at, 24 * k);
    EXPECT_EQ(large.next(0, 8).at, 31 * k);
  }
  EXPECT_FALSE(small.over());
}

// Once it is known that one has ended, 270 cycles later, they come 155 apart; one that ends later than that
// leaves a place that was waited for.
TEST(SmLaunch, ItGoesRoundSlowlyFromWhenItHearsOfAnEnd) {
  const SmSetup setup = with_room(32);
  BlockLaunch launch(setup);
  EXPECT_EQ(launch.next(0, 1).at, 0);
  launch.ended(30, 1);
  Cycle last = 0;
  for (int k = 1; k < 20; ++k) {
    const BlockLaunch::Start start = launch.next(0, 1);
    EXPECT_EQ(start.at - last, last < 300 ? 24 : 155);
    EXPECT_FALSE(start.waited);
    last = start.at;
  }
  const BlockLaunch::Start late = launch.next(100'000, 1);
  EXPECT_EQ(late.at, 100'000);
  EXPECT_TRUE(late.waited);
}

// It hears of blocks that end together one after the other, and a launch is over when it has heard of all.
TEST(SmLaunch, EndsAreHeardOfOneAfterTheOther) {
  const SmSetup setup = with_room(8);
  BlockLaunch launch(setup);
  for (int k = 0; k < 8; ++k) launch.ended(1000, 1);
  EXPECT_EQ(launch.heard(), 1000 + 7 * 155);
  launch.ended(9000, 1);
  EXPECT_EQ(launch.heard(), 9000);
  const SmRun run = simulate_sm(sm_sample({.loads = 1, .sums = 4}), setup);
  EXPECT_TRUE(run.finished);
  EXPECT_GT(run.settled, run.cycles + 3 * 155) << "their ends lie closer together than that";
}

// Whoever begins while the first line of code is on its way gets it when the first block does.
TEST(SmLaunch, BlocksThatComeFastMissTheirFirstLinesTogether) {
  const SmCode code = sm_sample({.loads = 1, .sums = 4});
  SmSetup setup = with_room(8);
  setup.instruction_miss = 200;
  const double together = waited_for(simulate_sm(code, setup), SmStall::NoInstruction);
  setup.fill_cycles = 1000;
  const double apart = waited_for(simulate_sm(code, setup), SmStall::NoInstruction);
  EXPECT_NEAR(together, 8 * 200 - 24 * (1 + 2 + 3 + 4 + 5 + 6 + 7), 40);
  EXPECT_LT(apart, together / 2) << "155 cycles apart";
}

// Places that were left before all had had a block are taken again.
TEST(SmLaunch, EveryBlockGetsAPlace) {
  SmSetup setup = with_room(16);
  setup.blocks = 100;
  const SmRun run = simulate_sm(sm_sample({.loads = 0, .sums = 1}), setup);
  EXPECT_TRUE(run.finished);
  EXPECT_EQ(run.issued[0] + run.issued[1] + run.issued[2] + run.issued[3], 100u);
}

// What loads a constant holds one of ten places of its scheduler until it has it: the eleventh warp waits for
// the queue, and where nothing is loaded nobody does.
TEST(SmLaunch, ConstantsThatAreFarHoldTheQueue) {
  const auto throttled = [](bool far, std::size_t warps) {
    SmCode code;
    code.register_count = 1;
    code.registers = {0};
    code.instructions = {
        {.unit = SmUnit::Shared, .aside = true, .table = true, .latency = 40, .busy = 2, .write_count = 1},
        {.unit = SmUnit::Alu, .read_count = 1}};
    code.table_lines = {8};
    code.accesses = {{.cycles = 2, .requests = 1, .line = 0}};
    code.blocks.push_back(std::vector<std::vector<SmStep>>(warps, {{0, 0}, {1, SmStep::kNoAccess}}));
    SmSetup setup = with_room(1);
    setup.schedulers = 1;
    setup.table_far = far ? 600 : 0;
    return waited_for(simulate_sm(code, setup), SmStall::MioThrottle);
  };
  EXPECT_EQ(throttled(true, 10), 0);
  EXPECT_NEAR(throttled(true, 11), 620, 30);
  EXPECT_LT(throttled(false, 11), 50);
}

// A warp that ptxas has wait for a number of cycles and for a scoreboard behind that waits for both.
TEST(SmLaunch, TheCyclesThatPtxasGivesAreNoScoreboards) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0};
  code.instructions = {
      {.unit = SmUnit::Shared, .schedule = ptx::MachineSchedule::of(1, 0, 0, 7), .latency = 29},
      {.unit = SmUnit::Alu, .schedule = ptx::MachineSchedule::of(13, 0, 7, 7)},
      {.unit = SmUnit::Alu, .schedule = ptx::MachineSchedule::of(1, 1, 7, 7)}};
  code.blocks.push_back({{{0, SmStep::kNoAccess}, {1, SmStep::kNoAccess}, {2, SmStep::kNoAccess}}});
  const SmRun run = simulate_sm(code, with_room(1));
  EXPECT_EQ(waited_for(run, SmStall::Wait), 12);
  EXPECT_NEAR(waited_for(run, SmStall::ShortScoreboard), 29 - 14, 1);
}

// A line that L1 has for the blocks that are run was brought by one that is not: the first who asks for it
// waits as long as that one did, and whoever comes meanwhile waits for the rest.
TEST(SmLaunch, WhatL1HasWasFarTheFirstTime) {
  SmCode code = sm_sample({.loads = 1, .sums = 1});
  code.accesses[0] = {.latency = 33, .line = 0};
  code.line_count = 1;
  SmSetup setup = with_room(8);
  setup.first_latency = 600;
  const double waited = waited_for(simulate_sm(code, setup), SmStall::LongScoreboard);
  EXPECT_NEAR(waited, 8 * 600 - 24 * 28, 120);
  setup.blocks = setup.resident_blocks = 1;
  EXPECT_NEAR(waited_for(simulate_sm(code, setup), SmStall::LongScoreboard), 600, 40);
}

TEST(SmLaunch, TheGpuThatWasReadHasTheseSteps) {
  const Result<ModelConstants> constants = ModelConstants::load("9.0");
  ASSERT_TRUE(constants);
  EXPECT_EQ(constants->fill_cycles, 23);
  EXPECT_EQ(constants->block_cycles, 154);
  EXPECT_EQ(constants->turnover_cycles, 270);
}

}  // namespace
}  // namespace warplens::analysis
