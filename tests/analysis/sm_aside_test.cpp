// What goes beside L1 or in order with it, as an H200 does it (tests/models/golden/aside_h200.txt, made by
// tools/golden/aside.cu), and what a profiler finds in DRAM.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_simulation.h"
#include "engine/analysis/time_model.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

SmSetup lone_block() {
  SmSetup s;
  s.blocks = s.resident_blocks = 1;
  s.l2_sectors_a_cycle = s.dram_sectors_a_cycle = 1e6;
  return s;
}

// One warp reads a table, a value after the other.
SmCode reads_of(const std::vector<std::uint32_t>& lines) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0};
  code.instructions = {{.unit = SmUnit::Shared,
                        .aside = true,
                        .table = true,
                        .latency = 40,
                        .busy = 2,
                        .read_count = 1,
                        .write_count = 1},
                       {.unit = SmUnit::Alu, .read_count = 1}};
  code.table_lines = lines;
  std::vector<SmStep> steps;
  for (std::uint32_t k = 0; k < lines.size(); ++k) {
    code.accesses.push_back({.cycles = 2, .requests = 1, .line = k});
    steps.push_back({0, k});
  }
  steps.push_back({1, SmStep::kNoAccess});
  code.blocks.push_back({steps});
  return code;
}

// Of a line of 64 bytes the second read takes 41 cycles, one of another line of the same 256 bytes 111, one
// of others 615 where DRAM has them.
TEST(SmAside, ATableIsFarTheFirstTime) {
  SmSetup setup = lone_block();
  setup.table_line = 70;
  setup.table_far = 500;
  const auto cycles = [&](const std::vector<std::uint32_t>& lines) {
    return simulate_sm(reads_of(lines), setup).cycles;
  };
  const auto first = cycles({8});
  EXPECT_NEAR(static_cast<double>(cycles({8, 8}) - first), 41, 4);
  EXPECT_NEAR(static_cast<double>(cycles({8, 9}) - first), 111, 4);
  EXPECT_NEAR(static_cast<double>(cycles({8, 12}) - first), 615, 10);
  EXPECT_EQ(waited_for(simulate_sm(reads_of({8, 12}), setup), SmStall::LongScoreboard), 0);
  setup.free.results = true;
  EXPECT_LT(cycles({8, 12}), 20) << "as if every result were there at once";
}

// A special register comes in order with what is stored, a constant does not: behind scattered stores 2,000
// cycles against 36, and 84 against 67.
TEST(SmAside, SpecialRegistersWaitBehindStoresAndConstantsDoNot) {
  const auto beside_stores = [](bool aside) {
    SmCode code;
    code.register_count = 1;
    code.registers = {0};
    code.instructions = {{.unit = SmUnit::Global, .store = true, .latency = 33},
                         {.unit = SmUnit::Shared, .aside = aside, .latency = 25, .busy = 2, .write_count = 1},
                         {.unit = SmUnit::Alu, .read_count = 1}};
    code.accesses = {{.cycles = 32, .stored = 32}};
    std::vector<SmStep> storing(64, {0, 0}), asking = {{0, 0}};
    for (int k = 0; k < 8; ++k) asking.insert(asking.end(), {{1, SmStep::kNoAccess}, {2, SmStep::kNoAccess}});
    code.blocks.push_back({asking, storing, storing, storing, storing, storing, storing, storing});
    SmSetup setup = lone_block();
    setup.l2_sectors_a_cycle = 1;
    setup.store_buffer = 4;
    setup.store_entries = 280;
    return waited_for(simulate_sm(code, setup), SmStall::ShortScoreboard);
  };
  EXPECT_GT(beside_stores(false), 5 * beside_stores(true));
}

// Two chains a warp, two warps a scheduler (stall_mio of tests/models): an H200 waits 903 cycles to issue and
// 1,307 for the results, 0 and 2,210 if whoever is taken made room at once.
TEST(SmAside, WhoIsTakenByTheSpecialUnitsKeepsItsPlaceForAWhile) {
  SmCode code;
  code.register_count = 2;
  code.registers = {0, 1};
  for (std::uint32_t chain = 0; chain < 2; ++chain) {
    code.instructions.push_back({.unit = SmUnit::Special,
                                 .latency = 18,
                                 .busy = 8,
                                 .reads = chain,
                                 .writes = chain,
                                 .read_count = 1,
                                 .write_count = 1});
    code.instructions.push_back({.unit = SmUnit::Alu,
                                 .pause = 6,
                                 .latency = 7,
                                 .reads = chain,
                                 .writes = chain,
                                 .read_count = 1,
                                 .write_count = 1});
  }
  std::vector<SmStep> steps;
  for (int k = 0; k < 64; ++k)
    steps.insert(
        steps.end(),
        {{0, SmStep::kNoAccess}, {3, SmStep::kNoAccess}, {2, SmStep::kNoAccess}, {1, SmStep::kNoAccess}});
  code.blocks.emplace_back(8, steps);
  SmSetup setup = lone_block();
  setup.special_entries = 1;
  const SmRun at_once = simulate_sm(code, setup);
  setup.special_hold = 4;
  const SmRun held = simulate_sm(code, setup);
  EXPECT_GT(waited_for(held, SmStall::MioThrottle), 2 * waited_for(at_once, SmStall::MioThrottle) + 500);
  EXPECT_LT(waited_for(held, SmStall::ShortScoreboard), waited_for(at_once, SmStall::ShortScoreboard));
}

// A burst of loads: all SMs share DRAM, and do not ask at the same moment.
TEST(SmAside, WhatAnSmLeftOfItsShareOfDramItMayTakeLater) {
  const auto cycles = [](double spare, int loads) {
    SmCode code;
    code.register_count = 1;
    code.registers = {0};
    code.instructions = {{.unit = SmUnit::Global, .latency = 33, .write_count = 1},
                         {.unit = SmUnit::Alu, .read_count = 1},
                         {.unit = SmUnit::Alu, .pause = 400}};
    code.accesses = {{.from_l2 = 4, .from_dram = 4, .latency = 500}};
    std::vector<SmStep> steps = {{2, SmStep::kNoAccess}};  // the share of this time is left
    steps.insert(steps.end(), static_cast<std::size_t>(loads), {0, 0});
    steps.push_back({1, SmStep::kNoAccess});
    code.blocks.push_back({steps});
    SmSetup setup = lone_block();
    setup.dram_sectors_a_cycle = 0.5;
    setup.dram_spare = spare;
    setup.load_entries = 1000;
    return static_cast<double>(simulate_sm(code, setup).cycles);
  };
  EXPECT_NEAR(cycles(0, 20) - cycles(0, 1), 19 * 8, 10) << "eight cycles each";
  EXPECT_NEAR(cycles(300, 20) - cycles(300, 1), 19, 5) << "as fast as they are issued";
  EXPECT_NEAR(cycles(0, 400) - cycles(300, 400), 300, 10) << "no more than that";
}

// A profiler empties L2 first: what a launch stores stays there while there is room.
TEST(SmAside, AProfilerFindsNothingToWriteBack) {
  const auto devices = DeviceCatalogue::load();
  const auto constants = ModelConstants::load("9.0");
  ASSERT_TRUE(devices.has_value() && constants.has_value());
  const Device& device = **devices->device("H200 SXM");
  LaunchFacts facts;
  facts.dram_read_bytes = facts.dram_changed_bytes = 4e6;
  EXPECT_GT(sm_setup(facts, device, *constants).dram_dirty, 0);
  EXPECT_EQ(sm_setup(facts, device, *constants).dram_changed, 1);
  EXPECT_EQ(profiled_sm(facts, device, *constants).dram_dirty, 0);
  EXPECT_EQ(profiled_sm(facts, device, *constants).dram_changed, 0);
  facts.dram_changed_bytes = 1e9;
  EXPECT_NEAR(profiled_sm(facts, device, *constants).dram_changed, 1, 0.06) << "twenty times what L2 holds";
  facts.warm = true;
  EXPECT_EQ(profiled_sm(facts, device, *constants).dram_changed, 1) << "L2 has been full for long";
}

}  // namespace
}  // namespace warplens::analysis
