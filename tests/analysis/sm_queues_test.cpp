// What waits in front of shared memory, the special units and L2's atomics, as an H100 does it
// (tests/models/golden/queue_h100.txt, made by tools/golden/queue.cu), and in front of L1, as an H200 does
// (first_loads_h200.txt, made by tools/golden/first_loads.cu; throttled_h200.txt, by throttled.py).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "engine/analysis/time_model.h"
#include "tests/support/places.h"

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

// 32 loads one right after the other by each of four warps, of eight rows in the same banks: those that L1
// has take it eight cycles each, and some 60 wait for that in it before warps wait as well (the 21st is
// issued 160 cycles behind the first, the last 509); those that miss are passed when they are there, and no
// warp waits (160 and 248). With four warps of each scheduler both do (3,602 and 3,455 cycles; those that
// miss are nearly a quarter too fast in the model).
TEST(SmQueues, LoadsThatMissHoldNobodyUpUntilTheyAreThere) {
  SmSetup setup = one_block();
  setup.load_queue = 16;
  setup.load_entries = 140;
  const auto issued = [&](std::size_t warps, bool hit) {
    SmCode code;
    code.register_count = 32;
    for (std::uint32_t r = 0; r < 32; ++r) code.registers.push_back(r);
    SmAccess access{.cycles = 8, .tags = 3, .latency = 33};
    if (!hit) access.from_l2 = access.from_dram = 8, access.latency = 657, access.cold = true;
    code.accesses = {access};
    std::vector<SmStep> steps;
    for (std::uint32_t r = 0; r < 32; ++r) {
      SmInstruction load{.unit = SmUnit::Global, .writes = r};
      load.write_count = 1;
      code.instructions.push_back(load);
      steps.push_back({r, 0});
    }
    for (std::uint32_t r = 0; r < 32; ++r) {
      SmInstruction clock{.unit = SmUnit::Alu, .pause = 5};
      code.instructions.push_back(clock);
      steps.insert(steps.begin() + 2 * r + 1, SmStep{32 + r, SmStep::kNoAccess});
    }
    code.blocks.emplace_back(warps, steps);
    SmSetup recorded = setup;
    recorded.record = 100'000;
    std::vector<std::int64_t> out;
    const SmRun run = simulate_sm(code, recorded);
    for (const SmSegment& segment : run.warps.front())
      if (segment.state == SmStall::Selected && segment.instruction < 32) out.push_back(segment.begin);
    return out;
  };
  const auto hits = issued(4, true), misses = issued(4, false);
  ASSERT_EQ(hits.size(), 32u);
  ASSERT_EQ(misses.size(), 32u);
  EXPECT_NEAR(static_cast<double>(hits[20] - hits[0]), 160, 40);
  EXPECT_NEAR(static_cast<double>(hits[31] - hits[0]), 509, 80);
  EXPECT_NEAR(static_cast<double>(misses[20] - misses[0]), 160, 40);
  EXPECT_NEAR(static_cast<double>(misses[31] - misses[0]), 248, 40);
  const auto many_hits = issued(16, true), many_misses = issued(16, false);
  EXPECT_NEAR(static_cast<double>(many_hits[31] - many_hits[0]), 3602, 400);
  EXPECT_NEAR(static_cast<double>(many_misses[31] - many_misses[0]), 3455, 850);
}

struct ThrottledReading {
  std::uint32_t row = 0;
  int apart = 0, warps = 0, turns = 0;
  double throttled = 0;  // lg throttle's share
  // Loads or stores of a scheduler that are under way, if none waits to be issued.
  int wanted() const { return warps / 4 * static_cast<int>(row); }
};

std::vector<ThrottledReading> throttled_readings(const std::string& kind) {
  std::ifstream in(tests::source_dir() + "/tests/models/golden/throttled_h200.txt");
  std::vector<ThrottledReading> out;
  for (std::string line; std::getline(in, line);) {
    ThrottledReading r;
    const std::string form = kind + ", row %u, %d words apart, %d warps, %d turns: %*f us; selected %*f, " +
                             "not_selected %*f, long_scoreboard %*f, lg_throttle %lf";
    if (std::sscanf(line.c_str(), form.c_str(), &r.row, &r.apart, &r.warps, &r.turns, &r.throttled) == 5)
      out.push_back(r);
  }
  return out;
}

// A row of loads or stores, what needs them, and the same again.
double throttled_share(const ThrottledReading& of, bool store) {
  SmCode code;
  code.register_count = of.row;
  for (std::uint32_t r = 0; r < of.row; ++r) code.registers.push_back(r);
  const auto lines = static_cast<std::uint16_t>(of.apart);
  SmAccess access{.cycles = lines, .tags = lines, .lines = lines, .latency = 33};
  if (store) access.stored = static_cast<std::uint16_t>(std::min(32, 4 * of.apart));
  access.sparse = of.apart >= 8;
  code.accesses = {access};
  std::vector<SmStep> turn, steps;
  for (std::uint32_t r = 0; r < of.row; ++r) {
    SmInstruction one{.unit = SmUnit::Global, .store = store, .writes = r, .write_count = 1};
    if (store) {  // its registers are written anew when it has been read
      one.write_count = 0;
      one.schedule = {.stall = 1, .reads = 0};
    }
    code.instructions.push_back(one);
    turn.push_back({r, 0});
  }
  for (std::uint32_t r = 0; r < of.row; ++r) {
    code.instructions.push_back({.unit = SmUnit::Alu, .latency = 4, .reads = r, .read_count = 1});
    if (store) code.instructions.back().schedule = {.stall = 1, .waits = 1};
    turn.push_back({of.row + r, SmStep::kNoAccess});
  }
  for (int k = 0; k < std::min(of.turns, 24); ++k) steps.insert(steps.end(), turn.begin(), turn.end());
  code.blocks.emplace_back(static_cast<std::size_t>(of.warps), steps);
  const ModelConstants constants = *ModelConstants::load("9.0");
  SmSetup setup = one_block();
  setup.load_entries = static_cast<int>(constants.load_entries);
  setup.load_queue = static_cast<int>(constants.load_queue);
  setup.store_queue = static_cast<int>(constants.store_queue);
  if (store) {
    setup.store_buffer = static_cast<int>(constants.store_buffer);
    setup.store_entries = constants.store_entries;
    setup.l2_sectors_a_cycle = 0.93;
    setup.l2_store_share = constants.l2_store_share;
  }
  const SmRun run = simulate_sm(code, setup);
  double all = 0;
  for (const double cycles : run.stalls) all += cycles;
  return waited(run, SmStall::LgThrottle) / all;
}

// Of rows of loads that take L1 eight cycles or more each nobody waits to issue one as long as a scheduler
// has 16 of them or fewer under way.
TEST(SmQueues, SixteenLoadsOfASchedulerWaitForL1) {
  int read = 0;
  for (const ThrottledReading& r : throttled_readings("loads")) {
    if (r.apart < 8 || r.row > 8 || r.turns < 45) continue;  // in few turns the first one weighs too much
    ++read;
    const double share = throttled_share(r, false);
    if (r.wanted() <= 16) {
      EXPECT_LT(r.throttled, 0.01);
      EXPECT_LT(share, 0.06) << "row " << r.row << ", " << r.apart << " apart, " << r.warps << " warps";
    } else {
      EXPECT_NEAR(share, r.throttled, 0.15)
          << "row " << r.row << ", " << r.apart << " apart, " << r.warps << " warps";
    }
  }
  EXPECT_GE(read, 30);
}

// The same of stores, of which nine wait.
TEST(SmQueues, NineStoresOfASchedulerWaitForL1) {
  int read = 0;
  for (const ThrottledReading& r : throttled_readings("stores")) {
    if (r.row < 2 || r.row > 8 || r.turns < 14 || (r.apart == 1 && r.wanted() < 16)) continue;
    ++read;
    EXPECT_NEAR(throttled_share(r, true), r.throttled, 0.15)
        << "row " << r.row << ", " << r.apart << " apart, " << r.warps << " warps";
  }
  EXPECT_EQ(read, 26);
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

// The first load of each warp where 132 blocks of one or eight warps make one: its mean behind a flush that
// leaves changed lines in L2 and in a profiler's state, which leaves none.
TEST(SmQueues, DramIsAsFarAsOnTheGpuThatWasRead) {
  const auto constants = ModelConstants::load("9.0");
  const auto devices = DeviceCatalogue::load();
  ASSERT_TRUE(constants && devices);
  const Device& h200 = **devices->device("H200 SXM");
  LaunchFacts facts;
  facts.blocks = 132;
  facts.blocks_per_sm = 1;
  const auto modelled = [&](const SmSetup& setup) {
    return h200.dram_latency + setup.cold_nearest + 0.5 * setup.cold_cycles;
  };
  const double changed = modelled(sm_setup(facts, h200, *constants)),
               emptied = modelled(profiled_sm(facts, h200, *constants));
  std::ifstream text(tests::source_dir() + "/tests/models/golden/first_loads_h200.txt");
  int read = 0;
  for (std::string line; std::getline(text, line);)
    for (const auto& [state, ours] : {std::pair{"changed", changed}, std::pair{"emptied", emptied}})
      if (line.starts_with(std::string("first ") + state + ", 132 blocks")) {
        EXPECT_NEAR(ours, std::atof(line.c_str() + line.find(':') + 1), 30) << line;
        ++read;
      }
  EXPECT_EQ(read, 4);
}

}  // namespace
}  // namespace warplens::analysis
