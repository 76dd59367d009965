#include "engine/analysis/sm_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "engine/analysis/time_model.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

SmSetup quiet(int blocks = 1) {
  SmSetup s;
  s.blocks = static_cast<std::uint64_t>(blocks);
  s.resident_blocks = blocks;
  s.l2_sectors_a_cycle = s.dram_sectors_a_cycle = 1e6;
  return s;
}

TEST(SmSimulation, LoadsThatNeedNothingOfEachOtherWaitTogether) {
  const SmRun chain = simulate_sm(sm_sample({.loads = 8, .dependent = true}), quiet());
  const SmRun apart = simulate_sm(sm_sample({.loads = 8}), quiet());
  EXPECT_TRUE(chain.finished && apart.finished);
  EXPECT_GT(chain.cycles, 8 * 600);
  EXPECT_LT(apart.cycles, 800);
}

TEST(SmSimulation, HidingFillsTheSlotsThatWaitingLeaves) {
  const SmCode code = sm_sample({.loads = 1, .sums = 40, .turns = 4, .warps = 32});
  SmSetup setup = quiet();
  const SmRun hidden = simulate_sm(code, setup);
  setup.hide_latency = false;
  const SmRun alone = simulate_sm(code, setup);
  const auto issued = [](const SmRun& r) {
    return std::accumulate(r.issued.begin(), r.issued.end(), std::uint64_t{0});
  };
  EXPECT_EQ(issued(hidden), issued(alone));
  EXPECT_GT(hidden.utilisation(), 4 * alone.utilisation()) << "eight warps a scheduler";
}

TEST(SmSimulation, NobodyWaitsForStoresAtItsEndWhileL1HasRoomForThem) {
  SmSetup setup = quiet();
  setup.l2_sectors_a_cycle = 0.1;
  const auto drained = [&](std::uint32_t lines, double entries) {
    SmCode code = sm_sample({.loads = 1, .sums = 0, .turns = lines / 8, .warps = 8});
    for (SmInstruction& i : code.instructions)
      if (i.unit == SmUnit::Global) i.store = true;
    for (SmAccess& a : code.accesses) {
      a = {};
      a.stored = 4;
    }
    setup.store_entries = entries;
    return simulate_sm(code, setup).stalls[static_cast<std::size_t>(SmStall::Drain)];
  };
  EXPECT_LT(drained(8, 4), 8 * 60) << "32 lines have room whatever else";
  EXPECT_LT(drained(128, 1000), 8 * 500);
  EXPECT_GT(drained(128, 4), 2 * drained(128, 1000));
}

TEST(SmSimulation, StrideIsTimeWhereTheBandwidthIsShort) {
  SmSetup setup = quiet();
  setup.dram_sectors_a_cycle = 0.5;
  const auto cycles = [&](std::uint16_t sectors) {
    return simulate_sm(sm_sample({.loads = 4, .turns = 8, .warps = 32, .sectors = sectors}), setup).cycles;
  };
  EXPECT_GT(cycles(32), 6 * cycles(4));
}

// Read on an H100 with tools/golden/blocks.cu (tests/models/golden/blocks_h100.txt): of one block of eight
// warps the even ones share two schedulers; of eight blocks they keep all four busy.
TEST(SmSimulation, TheNextBlockBeginsAtAnotherScheduler) {
  const auto slots = [](const SmCode& code, int blocks) { return simulate_sm(code, quiet(blocks)).issued; };
  SmCode half = sm_sample({.loads = 0, .sums = 100, .warps = 8});
  for (std::size_t w = 1; w < 8; w += 2) half.blocks.front()[w].clear();
  const auto one = slots(half, 1), eight = slots(half, 8);
  EXPECT_EQ(std::ranges::count(one, 0u), 2);
  EXPECT_EQ(std::ranges::count(eight, eight.front()), 4) << "all have the same";
  // Blocks of six warps go on where the one before has ended.
  const auto six = slots(sm_sample({.loads = 0, .sums = 100, .warps = 6}), 2);
  EXPECT_EQ(std::ranges::count(six, six.front()), 4);
}

TEST(SmSimulation, ReadsWaitForWhatDramWrites) {
  SmCode code = sm_sample({.loads = 2, .turns = 100, .warps = 16});
  SmSetup setup = quiet();
  setup.dram_sectors_a_cycle = 0.5;
  setup.dram_read_wait = 45;
  setup.dram_write_wait = 310;
  const std::int64_t reading = simulate_sm(code, setup).cycles;
  SmAccess store;  // as much as is read
  store.stored = store.changed = 4;
  code.accesses.push_back(store);
  code.instructions[1].store = true;
  for (auto& warp : code.blocks.front())
    for (SmStep& step : warp)
      if (step.instruction == 1) step.access = 1;
  const std::int64_t both = simulate_sm(code, setup).cycles;
  setup.dram_write_wait = 0;
  const std::int64_t unhindered = simulate_sm(code, setup).cycles;
  EXPECT_GT(static_cast<double>(both), 1.08 * static_cast<double>(unhindered));
  EXPECT_GT(both, reading) << "though it moves as much";
}

// What several loads wait for comes to L1 at once, and goes on to them one after the other.
TEST(SmSimulation, LoadsThatWaitForOneLineLeaveL1InTurn) {
  SmCode code = sm_sample({.loads = 8});
  SmAccess waits;  // of 32 lines that the first load has asked for
  waits.cycles = 32;
  waits.latency = 33;
  waits.line = code.accesses.front().line = 0;
  code.line_count = 1;
  code.accesses.push_back(waits);
  for (std::size_t k = 1; k < 8; ++k) code.blocks.front().front()[k].access = 1;
  const std::int64_t wide = simulate_sm(code, quiet()).cycles;
  code.accesses.back().cycles = 1;
  EXPECT_EQ(wide - simulate_sm(code, quiet()).cycles, 7 * 31);
}

// Straight code of so many KiB that one warp runs `turns` times.
SmCode straight_code(int kib, int turns) {
  SmCode code;
  code.instructions.resize(static_cast<std::size_t>(kib) * 64);
  for (std::uint32_t i = 0; i < code.instructions.size(); ++i) {
    code.instructions[i].unit = SmUnit::Fma;
    code.instructions[i].place = i;
  }
  code.machine_bytes = kib * 1024.0;
  auto& warp = code.blocks.emplace_back().emplace_back();
  for (int turn = 0; turn < turns; ++turn)
    for (std::uint32_t i = 0; i < code.instructions.size(); ++i) warp.push_back({i});
  return code;
}

// Read on an H200 with tools/golden/machine.cu (driver 580.159.04, 2026-11-24; L2 emptied before each launch,
// 4 blocks of one warp): cycles an instruction takes in a turn that is not the first, and in the first of a
// text that no cache keeps.
TEST(SmSimulation, LongTextsAreFetchedAtTheRateOfTheCacheThatHoldsThem) {
  const auto constants = ModelConstants::load("9.0");
  const auto devices = DeviceCatalogue::load();
  ASSERT_TRUE(constants && devices);
  SmSetup setup = sm_setup({}, **devices->device("H200 SXM"), *constants);
  setup.most_issues = 1'000'000;
  const auto cycles = [&](int kib, int turns) {
    const SmRun run = simulate_sm(straight_code(kib, turns), setup);
    EXPECT_TRUE(run.finished);
    return static_cast<double>(run.cycles) / (kib * 64);
  };
  for (const auto& [kib, read] : {std::pair{16, 1.05},
                                  {24, 1.02},
                                  {48, 2.40},
                                  {64, 2.40},
                                  {96, 2.42},
                                  {120, 2.41},
                                  {160, 5.63},
                                  {256, 5.57}})
    EXPECT_NEAR(cycles(kib, 3) - cycles(kib, 2), read, 0.1 * read) << kib << " KiB";
  EXPECT_NEAR(cycles(256, 1), 11.3, 1.2);
}

// A warp that asks for the block's shape and adds it up, then for a parameter.
SmCode asks_for_constants(bool loaded) {
  SmCode code;
  code.instructions.resize(3);
  for (SmInstruction& i : code.instructions) i.unit = SmUnit::Alu;
  SmInstruction& shape = code.instructions[0];
  shape.constant_line = 0;
  shape.constant = !loaded;
  if (loaded) {
    shape.unit = SmUnit::Shared;
    shape.latency = kConstantLoad;
    shape.indexed = shape.aside = true;
  }
  code.registers = {0};
  code.register_count = 1;
  shape.write_count = code.instructions[1].read_count = 1;
  code.instructions[2].constant = true;
  code.blocks.push_back({{{0}, {1}, {2}}});
  return code;
}

// As cycles a warp waited on an H200 (tests/models/golden/h200.json: widened_loads_0 begins with a ULDC, 269
// of missing constants; widened_loads_1 with an LDC, 79, and 84 more for a short scoreboard).
TEST(SmSimulation, WhoBringsTheFirstConstantSaysWhatIsWaitedFor) {
  const auto constants = ModelConstants::load("9.0");
  const auto devices = DeviceCatalogue::load();
  ASSERT_TRUE(constants && devices);
  const auto waited = [&](bool loaded, std::uint64_t blocks, bool warm = false) {
    LaunchFacts facts;
    facts.blocks = blocks;
    facts.blocks_per_sm = 1;
    facts.warm = warm;
    const SmRun run =
        simulate_sm(asks_for_constants(loaded), sm_setup(facts, **devices->device("H200 SXM"), *constants));
    const auto of = [&](SmStall why) { return run.stalls[static_cast<std::size_t>(why)]; };
    return std::pair{of(SmStall::ImcMiss), of(SmStall::ShortScoreboard)};
  };
  const auto [uniform, nothing] = waited(false, 128);
  EXPECT_NEAR(uniform, 269, 30);
  EXPECT_EQ(nothing, 0);
  const auto [missed, scoreboard] = waited(true, 128);
  EXPECT_NEAR(missed, 79, 30);
  EXPECT_GT(scoreboard, 84);
  EXPECT_LT(waited(false, 8).first, 0.5 * uniform) << "few SMs ask L2 for the same line";
  EXPECT_EQ(waited(false, 128, true).first, 0) << "the launch before has left it there";
}

TEST(SmSimulation, ALoadThatFindsItsLineOnTheWayWaitsForIt) {
  SmCode code = sm_sample({.loads = 2, .sums = 1});
  SmAccess second = code.accesses.front();
  second.from_l2 = second.from_dram = 0;
  second.latency = 33;
  code.accesses.push_back(second);
  code.blocks[0][0][1].access = 1;
  code.instructions[2].read_count = 1;
  code.registers[code.instructions[2].reads] = 1;  // the sum needs the second load alone
  const auto apart = simulate_sm(code, quiet()).cycles;
  EXPECT_LT(apart, 200);
  code.line_count = 1;
  code.accesses[0].line = code.accesses[1].line = 0;
  EXPECT_GT(simulate_sm(code, quiet()).cycles, 600);
}

TEST(SmSimulation, SegmentsOfAWarpFollowEachOtherWithoutHoles) {
  SmSetup setup = quiet(2);
  setup.record = 100'000;
  const SmRun run = simulate_sm(sm_sample({.loads = 3, .turns = 5, .warps = 24, .blocks = 2}), setup);
  ASSERT_EQ(run.warps.size(), 48u);
  EXPECT_EQ(run.recorded, run.cycles);
  for (const auto& warp : run.warps) {
    ASSERT_FALSE(warp.empty());
    std::int64_t at = warp.front().begin;
    for (const SmSegment& s : warp) {
      EXPECT_EQ(s.begin, at);
      EXPECT_GT(s.end, s.begin);
      at = s.end;
    }
  }
  EXPECT_EQ(run.flights.size(), 3u * 5u * 48u);
  const std::vector<int> flying = loads_in_flight(run);
  EXPECT_EQ(*std::ranges::max_element(flying), 3 * 48);
  EXPECT_EQ(flying.back(), 0);
}

TEST(SmSimulation, ARecordThatIsFullSaysHowFarItIsWhole) {
  const SmCode code = sm_sample({.loads = 2, .turns = 40, .warps = 16});
  SmSetup setup = quiet();
  setup.record = 1'000'000;
  const SmRun all = simulate_sm(code, setup);
  setup.record = 600;
  const SmRun some = simulate_sm(code, setup);
  EXPECT_EQ(some.cycles, all.cycles);
  EXPECT_EQ(some.stalls, all.stalls) << "what is kept changes no sum";
  ASSERT_GT(some.recorded, 0);
  ASSERT_LT(some.recorded, all.cycles / 2);
  const auto before = [&](const SmRun& run) {
    std::size_t n = 0;
    for (const auto& warp : run.warps)
      n += static_cast<std::size_t>(
          std::ranges::count_if(warp, [&](const SmSegment& s) { return s.begin < some.recorded; }));
    return n;
  };
  EXPECT_EQ(before(some), before(all));
}

TEST(SmSimulation, WhatCostsNothingIsNotWaitedFor) {
  const SmCode code = sm_sample({.loads = 2, .sums = 30, .turns = 6, .warps = 32});
  SmSetup setup = quiet();
  const SmRun as_is = simulate_sm(code, setup);
  setup.memory_latency = 2;
  EXPECT_GT(simulate_sm(code, setup).cycles, as_is.cycles + 6 * 400);
  setup.memory_latency = 1;
  setup.free.results = true;
  const SmRun at_once = simulate_sm(code, setup);
  EXPECT_LT(at_once.cycles, as_is.cycles / 2);
  setup.free.issue = setup.free.units = true;
  const SmRun unlimited = simulate_sm(code, setup);
  EXPECT_LT(unlimited.cycles, at_once.cycles / 2) << "only the chain of each warp is left";
  EXPECT_TRUE(unlimited.finished);
}

double stalled(const SmRun& run, SmStall why) {
  return run.stalls[static_cast<std::size_t>(why)];
}

// Warps of one block that all do the same: so many times an instruction that needs nothing.
SmCode repeated(const SmInstruction& instruction, std::size_t warps, std::size_t times,
                SmAccess access = {}) {
  SmCode code;
  code.instructions = {instruction};
  code.accesses = {access};
  const bool memory = instruction.unit == SmUnit::Shared || instruction.unit == SmUnit::Global;
  const SmStep step{0, memory ? 0u : SmStep::kNoAccess};
  code.blocks.emplace_back(warps, std::vector<SmStep>(times, step));
  return code;
}

TEST(SmSimulation, AUnitThrottlesOnlyWhileItIsBusy) {
  SmInstruction product{.unit = SmUnit::Fma};
  const SmRun every = simulate_sm(repeated(product, 32, 100), quiet());
  EXPECT_EQ(stalled(every, SmStall::MathPipeThrottle), 0) << "it takes one in each cycle";
  EXPECT_GT(stalled(every, SmStall::NotSelected), 3 * stalled(every, SmStall::Selected));
  product.unit = SmUnit::FmaHeavy;
  product.busy = 4;
  const SmRun fourth = simulate_sm(repeated(product, 32, 100), quiet());
  EXPECT_GT(stalled(fourth, SmStall::MathPipeThrottle), 2 * stalled(fourth, SmStall::NotSelected));
  product.unit = SmUnit::Special;
  EXPECT_GT(stalled(simulate_sm(repeated(product, 32, 100), quiet()), SmStall::MioThrottle), 0);
}

TEST(SmSimulation, WhatALoadUnderAFalseGuardWouldHaveWrittenStays) {
  SmCode code = sm_sample({.loads = 1, .sums = 1});
  auto& steps = code.blocks[0][0];
  steps.insert(steps.begin() + 1, {0, SmStep::kPredicatedOff});
  EXPECT_GT(stalled(simulate_sm(code, quiet()), SmStall::LongScoreboard), 500);
}

TEST(SmSimulation, ASchedulerWithoutAWarpHasNoSlots) {
  const SmRun run = simulate_sm(sm_sample({.loads = 0, .sums = 100}), quiet());
  ASSERT_EQ(run.active.size(), 4u);
  EXPECT_EQ(run.active[1], 0);
  EXPECT_NEAR(run.utilisation(), static_cast<double>(run.issued[0]) / static_cast<double>(run.active[0]),
              1e-9);
}

TEST(SmSimulation, TheQueueToSharedMemoryIsShortThatOfLoadsIsLong) {
  SmSetup setup = quiet();
  const SmInstruction shared{.unit = SmUnit::Shared, .latency = 29};
  const SmCode code = repeated(shared, 32, 16, {.cycles = 8});
  const double few = stalled(simulate_sm(code, setup), SmStall::MioThrottle);
  EXPECT_GT(few, 0);
  setup.queue_entries = 1000;
  EXPECT_EQ(stalled(simulate_sm(code, setup), SmStall::MioThrottle), 0);
  const SmInstruction load{.unit = SmUnit::Global, .latency = 33};
  const auto throttled = [&](std::size_t times) {
    return stalled(simulate_sm(repeated(load, 4, times, {.cycles = 8, .latency = 33}), setup),
                   SmStall::LgThrottle);
  };
  EXPECT_EQ(throttled(40), 0);
  EXPECT_GT(throttled(200), 0);
}

TEST(SmSimulation, WhoSleepsWaitsForNothingElse) {
  const SmRun run = simulate_sm(repeated({.unit = SmUnit::Sleep, .latency = 2000}, 1, 3), quiet());
  EXPECT_GE(stalled(run, SmStall::Sleeping), 6000);
  EXPECT_GE(run.cycles, 6000);
}

// Of a warp that executes a great deal only the beginning is kept.
// Warps that store `sectors` a time and load behind it, over and over.
SmCode stores_and_loads(std::uint16_t sectors) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0};
  SmInstruction store{.unit = SmUnit::Global, .store = true, .latency = 33};
  SmInstruction load{.unit = SmUnit::Global, .latency = 33};
  load.write_count = 1;
  SmInstruction use{.unit = SmUnit::Alu};
  use.read_count = 1;
  code.instructions = {store, load, use};
  SmAccess stored, found;
  stored.stored = stored.changed = sectors;
  stored.latency = found.latency = 33;
  code.accesses = {stored, found};
  auto& block = code.blocks.emplace_back();
  for (int w = 0; w < 8; ++w) {
    auto& warp = block.emplace_back();
    for (int turn = 0; turn < 40; ++turn) {
      warp.push_back({0, 0});
      warp.push_back({1, 1});
      warp.push_back({2});
    }
  }
  return code;
}

TEST(SmSimulation, ALoadComesBehindStoresThatL2DoesNotTakeYet) {
  SmSetup setup = quiet();
  setup.l2_sectors_a_cycle = 1;
  setup.l2_store_share = 0.5;
  setup.store_entries = 64;
  setup.store_buffer = 4;
  const SmRun few = simulate_sm(stores_and_loads(1), setup), many = simulate_sm(stores_and_loads(32), setup);
  const double of_few = stalled(few, SmStall::LongScoreboard),
               of_many = stalled(many, SmStall::LongScoreboard);
  EXPECT_GT(of_many, 10 * of_few) << "the loads themselves are in L1";
  setup.store_buffer = 1000;
  EXPECT_LT(stalled(simulate_sm(stores_and_loads(32), setup), SmStall::LongScoreboard), of_many / 10);
}

TEST(SmSimulation, FencesOfAnSmTakeTheirTurns) {
  const auto cycles = [](std::size_t warps) {
    SmSetup setup = quiet();
    setup.fence_cycles = 320;
    setup.fence_turn = 9;
    SmCode code;
    code.register_count = 1;
    code.registers = {0};
    SmInstruction use{.unit = SmUnit::Alu};
    use.read_count = 1;
    code.instructions = {{.unit = SmUnit::Fence}, use};
    code.blocks.emplace_back(warps, std::vector<SmStep>{{0}, {1}});
    return simulate_sm(code, setup).cycles;
  };
  EXPECT_LT(cycles(16) - cycles(1), 60) << "sixteen are through before the first is done";
  EXPECT_GT(cycles(64) - cycles(1), 200);
}

// Read on an H100 (tests/models/golden/pipes_h100.txt): a float a cycle, an integer product every other one.
TEST(SmSimulation, FloatsGoToTheHalfThatProductsOfIntegersLeave) {
  SmCode code = repeated({.unit = SmUnit::Fma, .busy = kFmaBusy}, 32, 100);
  const std::int64_t floats = simulate_sm(code, quiet()).cycles;
  EXPECT_LT(floats, 8 * 100 + 20);
  code.instructions.push_back({.unit = SmUnit::FmaHeavy, .busy = kFmaBusy});
  for (auto& warp : code.blocks.front())
    for (std::size_t k = 0; k < warp.size(); k += 2) warp[k].instruction = 1;
  EXPECT_LT(simulate_sm(code, quiet()).cycles, floats + 20) << "half of each";
  for (auto& warp : code.blocks.front())
    for (SmStep& step : warp) step.instruction = 1;
  EXPECT_GT(simulate_sm(code, quiet()).cycles, 2 * 8 * 100 - 20);
}

// A load holds scoreboard 2 until its value is there and 4 until its address is read.
TEST(SmSimulation, WhereTheScheduleIsKnownAWarpWaitsForNothingElse) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0};
  SmInstruction load{.unit = SmUnit::Shared, .latency = 200};
  load.write_count = 1;
  load.schedule = ptx::MachineSchedule::of(3, 0, 2, 4);
  SmInstruction use{.unit = SmUnit::Alu};
  use.read_count = 1;
  code.instructions = {load, use};
  code.blocks.emplace_back(1, std::vector<SmStep>{{0}, {1}});
  const auto run = [&](unsigned waits) {
    code.instructions[1].schedule =
        ptx::MachineSchedule::of(1, waits, ptx::MachineSchedule::kNone, ptx::MachineSchedule::kNone);
    return simulate_sm(code, quiet());
  };
  const SmRun none = run(0), result = run(1 << 2), operands = run(1 << 4), other = run(1 << 3);
  EXPECT_EQ(stalled(none, SmStall::ShortScoreboard), 0);
  EXPECT_EQ(stalled(none, SmStall::Wait), 2) << "three cycles from issue to issue";
  EXPECT_EQ(other.cycles, none.cycles);
  EXPECT_GT(stalled(result, SmStall::ShortScoreboard), 190);
  EXPECT_GT(stalled(operands, SmStall::ShortScoreboard), 2);
  EXPECT_LT(stalled(operands, SmStall::ShortScoreboard), 20);
}

TEST(SmSimulation, AWarpPausesBehindAProductsUpperHalf) {
  const SmRun run =
      simulate_sm(repeated({.unit = SmUnit::FmaHeavy, .pause = 7, .latency = 4, .busy = 1}, 1, 50), quiet());
  EXPECT_GE(run.cycles, 50 * 8);
  EXPECT_GE(stalled(run, SmStall::Wait), 49 * 7);
}

TEST(TimeModel, ChangedLinesLeaveL2ForWhatIsRead) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1000;
  device.dram_gbps = 100;
  device.l2_gbps = 4000;
  device.l2_mb = 10;
  ModelConstants constants;
  constants.dirty_share = 0.5;
  constants.dirty_l2 = 0.5;
  const auto dram = [&](double read, double changed, bool warm) {
    LaunchFacts facts;
    facts.dram_read_bytes = read;
    facts.dram_changed_bytes = changed;
    facts.warm = warm;
    return time_model({}, facts, device, constants).part(TimePart::Dram);
  };
  constexpr double kMiB = 1048576, kRate = 64e3;  // what one SM can take, bytes a microsecond
  EXPECT_NEAR(dram(8 * kMiB, 0, false), 12 * kMiB / kRate, 1e-6);
  EXPECT_NEAR(dram(80 * kMiB, 0, false), 85 * kMiB / kRate, 1e-6) << "no more than L2 held";
  EXPECT_NEAR(dram(8 * kMiB, 4 * kMiB, false), 13 * kMiB / kRate, 1e-6) << "4 MiB stay in place of as many";
  EXPECT_NEAR(dram(80 * kMiB, 40 * kMiB, false), 120 * kMiB / kRate, 1e-6) << "as much stays as was there";
  EXPECT_NEAR(dram(8 * kMiB, 0, true), 8 * kMiB / kRate, 1e-6) << "nothing was flushed before";
}

TEST(TimeModel, WhatWasCutStandsForTheRest) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1000;
  device.dram_gbps = 1000;
  device.l2_gbps = 4000;
  ModelConstants constants;
  constants.launch_us = 3;
  SmCode code = sm_sample({.loads = 1, .sums = 40, .turns = 50, .warps = 4});
  const LaunchFacts facts;
  const TimeModel whole = time_model(code, facts, device, constants);
  code.cut = true;
  code.walked_a_block = 1000;
  LaunchFacts longer = facts;
  longer.ptx_a_block = 10'000;
  const TimeModel cut = time_model(code, longer, device, constants);
  const auto body = [](const TimeModel& m) { return m.us - m.part(TimePart::Launch); };
  EXPECT_NEAR(body(cut), 10 * body(whole), 0.01 * body(cut));
  EXPECT_NEAR(cut.part(TimePart::Latency), 10 * whole.part(TimePart::Latency), 0.01);
  for (const double us : without_each(cut, code, longer, device, constants)) EXPECT_LE(us, cut.us);
}

TEST(TimeModel, WithoutTheShortestResourceLittleIsLeft) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1000;
  device.dram_gbps = 16;  // half a sector a cycle
  device.l2_gbps = 4000;
  ModelConstants constants;
  constants.launch_us = 3;
  const SmCode code = sm_sample({.loads = 4, .turns = 16, .warps = 16, .sectors = 16});
  LaunchFacts facts;
  facts.dram_read_bytes = facts.l2_bytes = 4.0 * 16 * 16 * 16 * 32;
  const TimeModel model = time_model(code, facts, device, constants);
  EXPECT_EQ(model.verdict, Verdict::Dram);
  const std::vector<double> without = without_each(model, code, facts, device, constants);
  ASSERT_EQ(without.size(), kTimeParts);
  const auto left = [&](TimePart p) { return without[static_cast<std::size_t>(p)]; };
  for (const double us : without) EXPECT_LE(us, model.us);
  EXPECT_NEAR(left(TimePart::Launch), model.us - model.part(TimePart::Launch), 1e-9);
  EXPECT_LT(left(TimePart::Dram), 0.5 * model.us);
  EXPECT_GT(left(TimePart::Issue), 0.9 * model.us);
  EXPECT_GT(left(TimePart::Units), 0.9 * model.us);
}

}  // namespace
}  // namespace warplens::analysis
