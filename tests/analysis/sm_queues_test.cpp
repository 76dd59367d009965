// What waits in front of shared memory, the special units and L2's atomics, as an H100 does it
// (tests/models/golden/queue_h100.txt, made by tools/golden/queue.cu).

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "engine/analysis/time_model.h"

namespace warplens::analysis {
namespace {

SmSetup one_block() {
  SmSetup s;
  s.blocks = s.resident_blocks = 1;
  s.l2_sectors_a_cycle = s.dram_sectors_a_cycle = 1e6;
  s.queue_entries = 10;
  s.special_entries = 1;
  return s;
}

double waited(const SmRun& run, SmStall why) {
  return run.stalls[static_cast<std::size_t>(why)];
}

// Warps of a block that make each access 20 times and read a clock behind it, which takes them 40 cycles.
SmCode with_clocks(const SmInstruction& instruction, std::size_t warps, const SmAccess& access) {
  SmCode code;
  code.register_count = 1;
  code.instructions = {instruction, {.unit = SmUnit::Alu, .pause = 38}};
  code.accesses = {access};
  std::vector<SmStep> steps;
  for (int k = 0; k < 20; ++k) steps.insert(steps.end(), {{0, 0}, {1, SmStep::kNoAccess}});
  code.blocks.emplace_back(warps, steps);
  return code;
}

// When the first warp issued each of them.
std::vector<std::int64_t> issues(const SmCode& code, SmSetup setup) {
  setup.record = 100'000;
  std::vector<std::int64_t> out;
  const SmRun run = simulate_sm(code, setup);
  for (const SmSegment& segment : run.warps.front())
    if (segment.state == SmStall::Selected && segment.instruction == 0) out.push_back(segment.begin);
  return out;
}

// Stores with all lanes in one bank: 32 cycles each. Four warps, one of each scheduler: the 14th 520 cycles
// behind the first, as fast as clocks are read, the 20th 1,150, one every 128 at last. Four warps of each
// scheduler: the third 80 cycles behind the first, the 20th 8,659, one every 512.
TEST(SmQueues, TenInstructionsOfASchedulerWaitBehindTheOneThatHasSharedMemory) {
  const SmCode one = with_clocks({.unit = SmUnit::Shared, .store = true}, 4, {.cycles = 32});
  const auto few = issues(one, one_block());
  ASSERT_EQ(few.size(), 20u);
  EXPECT_NEAR(static_cast<double>(few[13] - few[0]), 520, 60);
  EXPECT_NEAR(static_cast<double>(few[19] - few[0]), 1150, 40);
  EXPECT_NEAR(static_cast<double>(few[19] - few[18]), 128, 2);
  const SmCode four = with_clocks({.unit = SmUnit::Shared, .store = true}, 16, {.cycles = 32});
  const auto many = issues(four, one_block());
  EXPECT_NEAR(static_cast<double>(many[2] - many[0]), 80, 20);
  EXPECT_NEAR(static_cast<double>(many[19] - many[0]), 8659, 350);
  EXPECT_NEAR(static_cast<double>(many[10] - many[5]), 5 * 512, 40);
}

// Warps that count bits in four chains each. With eight warps a scheduler an H200 waits a twentieth as long
// for the results as to issue (stall_mio_many of tests/models).
TEST(SmQueues, TheSpecialUnitsHaveRoomForOneMore) {
  const auto code = [](std::size_t warps) {
    SmCode out;
    out.register_count = 4;
    out.registers = {0, 1, 2, 3};
    std::vector<SmStep> steps;
    for (std::uint32_t chain = 0; chain < 4; ++chain) {
      out.instructions.push_back({.unit = SmUnit::Special,
                                  .latency = 14,
                                  .busy = 8,
                                  .reads = chain,
                                  .writes = chain,
                                  .read_count = 1,
                                  .write_count = 1});
    }
    for (std::uint32_t k = 0; k < 256; ++k) steps.push_back({k % 4, SmStep::kNoAccess});
    out.blocks.emplace_back(warps, steps);
    return out;
  };
  const SmRun many = simulate_sm(code(32), one_block());
  EXPECT_LT(waited(many, SmStall::ShortScoreboard), 0.1 * waited(many, SmStall::MioThrottle));
  SmSetup roomy = one_block();
  roomy.special_entries = 1000;
  const SmRun queued = simulate_sm(code(32), roomy);
  EXPECT_EQ(waited(queued, SmStall::MioThrottle), 0);
  EXPECT_NEAR(static_cast<double>(queued.cycles), static_cast<double>(many.cycles), 400);
}

SmCode atomics(bool answered) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0};
  SmInstruction add{.unit = SmUnit::Global, .store = !answered, .latency = 33};
  SmInstruction use{.unit = SmUnit::Alu, .read_count = 1};
  add.write_count = answered ? 1 : 0;
  SmAccess access;
  access.atomics = 32;
  access.answered = answered;
  access.latency = 200;
  code.instructions = {add, use};
  code.accesses = {access};
  const std::vector<SmStep> steps = {{0, 0}, {1, SmStep::kNoAccess}, {0, 0}, {1, SmStep::kNoAccess}};
  code.blocks.emplace_back(8, steps);
  return code;
}

// Where L2 takes a cycle and a half for each: 16 accesses of 32 sectors, 768 cycles.
TEST(SmQueues, AWarpWaitsForL2sAtomicsWhereItAsksForTheirAnswer) {
  SmSetup setup = one_block();
  EXPECT_LT(simulate_sm(atomics(true), setup).cycles, 700) << "as long as two answers take";
  setup.atomic_turn = 1.5;
  const SmRun run = simulate_sm(atomics(true), setup);
  EXPECT_NEAR(static_cast<double>(run.cycles), 768 + 200, 60);
  EXPECT_EQ(waited(run, SmStall::Drain), 0);
}

TEST(SmQueues, ReductionsThatL2DoesNotTakeYetHoldTheirWarpsAtTheEnd) {
  SmSetup setup = one_block();
  setup.atomic_turn = 1.5;
  setup.store_entries = 280;
  const SmRun run = simulate_sm(atomics(false), setup);
  EXPECT_EQ(waited(run, SmStall::LongScoreboard), 0);
  setup.store_entries = 1e6;
  const SmRun roomy = simulate_sm(atomics(false), setup);
  EXPECT_GT(waited(run, SmStall::Drain), waited(roomy, SmStall::Drain) + 500) << "not all are on their way";
  EXPECT_NEAR(static_cast<double>(run.settled), 768, 60) << "when L2 has done the last one";
  EXPECT_EQ(roomy.settled, run.settled);
  EXPECT_LT(roomy.cycles, 300) << "and its warps are gone";
}

TEST(SmQueues, TheGpuThatWasReadHasTheseQueues) {
  const auto constants = ModelConstants::load("9.0");
  ASSERT_TRUE(constants);
  EXPECT_EQ(constants->queue_entries, 10);
  EXPECT_EQ(constants->special_entries, 1);
}

}  // namespace
}  // namespace warplens::analysis
