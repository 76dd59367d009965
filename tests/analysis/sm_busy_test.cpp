// Jumps, whose turn it is, when nobody counts, who waits behind reductions and stores, what stands in one
// queue and when blocks leave, as an H200 has it (tests/models/golden/jumps_h200.txt, busy_h200.txt,
// held_h200.txt, behind_h200.txt and queues_h200.txt, made by tools/golden/waits.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/analysis/model_constants.h"
#include "engine/analysis/sm_code.h"
#include "engine/analysis/sm_jumps.h"
#include "engine/analysis/sm_simulation.h"
#include "tests/golden_waits.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

using tests::waits_of;

SmInstruction scheduled(SmUnit unit, unsigned stall, std::uint32_t place, bool yields = false) {
  SmInstruction out{
      .unit = unit, .schedule = ptx::MachineSchedule::of(stall, 0, 7, 7, yields), .place = place};
  out.busy = 1;
  return out;
}

std::vector<SmStep> steps(const std::vector<std::uint32_t>& instructions, int turns = 1) {
  std::vector<SmStep> out;
  for (int t = 0; t < turns; ++t)
    for (const std::uint32_t i : instructions) out.push_back({i, SmStep::kNoAccess});
  return out;
}

// A turn of four instructions with ptxas's cycles behind them: an H200 waits 20 for those, three for where
// the jump goes and some two for what stands there.
TEST(SmJumps, OneBackTakesWhatAnH200Takes) {
  const auto read = waits_of("jumps_h200.txt").at("back, 4 warps, flag 0");
  SmCode code;
  code.instructions = {scheduled(SmUnit::Uniform, 1, 0), scheduled(SmUnit::Alu, 5, 1),
                       scheduled(SmUnit::Alu, 13, 2), scheduled(SmUnit::Branch, 5, 3)};
  constexpr int kTurns = 1000;
  code.blocks.emplace_back(4, steps({0, 1, 2, 3}, kTurns));
  const SmRun run = simulate_sm(code, {});
  const auto a_turn = [&](SmStall reason) { return waited_for(run, reason) / (4 * kTurns); };
  EXPECT_NEAR(a_turn(SmStall::Wait), read.at("wait"), 0.1);
  EXPECT_NEAR(a_turn(SmStall::BranchResolving), read.at("branch_resolving"), 0.1);
  EXPECT_NEAR(a_turn(SmStall::NoInstruction), read.at("no_instruction"), 0.4);
}

// Eight jumps a turn that are taken, or not, beside the one back.
TEST(SmJumps, OnesAheadWaitOnlyWhereTheyAreTaken) {
  const auto read = waits_of("jumps_h200.txt");
  const auto each = [&](const std::string& flag, const char* reason) {
    return (read.at("ahead, 1 warps, flag " + flag).at(reason) -
            read.at("back, 1 warps, flag 0").at(reason)) /
           8;
  };
  const SmInstruction jump = scheduled(SmUnit::Branch, 5, 10);
  const JumpCycles taken = cycles_of_jump(jump, 20, {}), passed = cycles_of_jump(jump, 11, {});
  EXPECT_NEAR(each("1", "branch_resolving"), static_cast<double>(taken.resolving), 0.1);
  EXPECT_NEAR(each("1", "no_instruction"), static_cast<double>(taken.no_instruction), 0.1);
  EXPECT_NEAR(each("0", "branch_resolving"), static_cast<double>(passed.resolving), 0.1);
  EXPECT_NEAR(each("0", "no_instruction"), static_cast<double>(passed.no_instruction), 0.2);
  EXPECT_EQ(passed.wait, 5) << "what ptxas leaves";
}

// Values that the program moves cost nothing and stand nowhere: what comes behind them is what counts.
TEST(SmJumps, MovesBehindOneDoNotMakeItTaken) {
  SmCode code;
  code.register_count = 2;
  code.registers = {0, 1};
  SmInstruction move{.unit = SmUnit::None};
  move.read_count = move.write_count = 1;
  move.writes = 1;
  code.instructions = {scheduled(SmUnit::Branch, 5, 0), move, scheduled(SmUnit::Alu, 1, 1),
                       scheduled(SmUnit::Alu, 1, 7)};
  const auto resolving = [&](std::uint32_t then) {
    code.blocks = {{steps({0, 1, then})}};
    const SmRun run = simulate_sm(code, {});
    return waited_for(run, SmStall::BranchResolving);
  };
  EXPECT_EQ(resolving(3) - resolving(2), 3);
}

// Where lanes come together warps wait for it, in whichever direction they go on. The ten cycles are of
// samples that are not kept (docs/TIME-MODEL.md).
TEST(SmJumps, LanesThatComeTogetherAreWaitedFor) {
  SmInstruction meets = scheduled(SmUnit::Branch, 5, 10);
  meets.meets = true;
  EXPECT_EQ(cycles_of_jump(meets, 11, {}).resolving, 10);
  EXPECT_EQ(cycles_of_jump(meets, 11, {}).no_instruction, 0);
}

// One warp goes on until ptxas has it wait: the other has its turn then.
TEST(SmSchedulers, WhoHasIssuedGoesOnWithoutAGap) {
  SmCode code;
  for (std::uint32_t i = 0; i < 8; ++i)
    code.instructions.push_back(scheduled(SmUnit::Uniform, i % 4 == 3 ? 6 : 1, i));
  code.blocks.emplace_back(8, steps({0, 1, 2, 3, 4, 5, 6, 7}));  // two for each scheduler
  SmSetup setup;
  setup.record = 1000;
  const SmRun run = simulate_sm(code, setup);
  for (std::size_t slot : {0u, 4u}) {
    std::vector<std::int64_t> at;
    for (const SmSegment& s : run.warps.at(slot))
      if (s.state == SmStall::Selected)
        for (std::int64_t cycle = s.begin; cycle < s.end; ++cycle) at.push_back(cycle);
    ASSERT_EQ(at.size(), 8u);
    for (std::size_t i : {1u, 2u, 3u, 5u, 6u, 7u}) EXPECT_EQ(at[i], at[i - 1] + 1) << "warp " << slot;
  }
}

// Three warps with four instructions a turn, three cycles apart: one that does not yield goes on when it can,
// whoever has issued meanwhile, and the last waits for its turn; where all yield nobody is ahead.
TEST(SmSchedulers, WhoYieldsLosesItsTurn) {
  const auto ends = [](bool yields) {
    SmCode code;
    for (std::uint32_t i = 0; i < 4; ++i) code.instructions.push_back(scheduled(SmUnit::Alu, 3, i, yields));
    for (SmInstruction& i : code.instructions) i.busy = 2;
    code.blocks.emplace_back(12, steps({0, 1, 2, 3}, 20));  // three for each scheduler
    SmSetup setup;
    setup.record = 10'000;
    const SmRun run = simulate_sm(code, setup);
    std::vector<std::int64_t> out;
    for (const std::size_t slot : {0u, 4u, 8u}) out.push_back(run.warps.at(slot).back().end);
    return out;
  };
  const auto stay = ends(false), yield = ends(true);
  EXPECT_LT(stay[0] + 100, stay[2]) << "one is done long before the last";
  EXPECT_LT(yield[2] - yield[0], 20) << "all are done together";
}

// Floats that each need the one before, with and without upper halves of products among them, as ptxas
// scheduled them: behind a product nobody issues for two cycles, and while somebody could nobody counts.
TEST(SmSchedulers, NobodyCountsWhileTheSchedulerIsHeld) {
  SmCode floats, products;
  const auto add = [](SmCode& code, SmUnit unit, unsigned stall, bool yields = false) {
    code.instructions.push_back(
        scheduled(unit, stall, static_cast<std::uint32_t>(code.instructions.size()), yields));
    if (unit == SmUnit::Fma) code.instructions.back().busy = kFmaBusy;
    if (unit == SmUnit::Alu) code.instructions.back().busy = kAluBusy;
    if (unit != SmUnit::FmaHeavy) return;
    code.instructions.back().busy = 2 * kFmaBusy;
    code.instructions.back().hold = kWideHold;
  };
  add(floats, SmUnit::Uniform, 1);
  add(floats, SmUnit::Alu, 1);
  for (int i = 0; i < 15; ++i) add(floats, SmUnit::Fma, 4, true);
  add(floats, SmUnit::Fma, 1);
  add(floats, SmUnit::Branch, 4);
  add(products, SmUnit::Fma, 1);
  add(products, SmUnit::Uniform, 1);
  add(products, SmUnit::FmaHeavy, 4, true);
  add(products, SmUnit::Fma, 1);
  add(products, SmUnit::FmaHeavy, 1);
  add(products, SmUnit::Alu, 3, true);
  for (int i = 0; i < 2; ++i) {
    add(products, SmUnit::Fma, 1);
    add(products, SmUnit::FmaHeavy, 4, true);
  }
  for (int i = 0; i < 11; ++i) add(products, SmUnit::Fma, 4, true);
  add(products, SmUnit::Fma, 1);
  add(products, SmUnit::Branch, 6);
  const auto read = waits_of("held_h200.txt");
  constexpr int kTurns = 500;
  for (const std::size_t warps : {1u, 2u, 4u, 8u}) {
    const auto waits = [&](SmCode& code) {
      std::vector<std::uint32_t> turn;
      for (std::uint32_t i = 0; i < code.instructions.size(); ++i) turn.push_back(i);
      code.blocks = {std::vector(4 * warps, steps(turn, kTurns))};
      return waited_for(simulate_sm(code, {}), SmStall::Wait) / static_cast<double>(4 * warps * kTurns);
    };
    const std::string each = fmt::format(", {} warps a scheduler", warps);
    EXPECT_NEAR(waits(floats), read.at("floats" + each).at("wait"), 2) << warps;
    EXPECT_NEAR(waits(products), read.at("beside_products" + each).at("wait"), 4) << warps;
  }
}

double share_of(const SmRun& run, SmStall why) {
  double all = 0;
  for (const double cycles : run.stalls) all += cycles;
  return waited_for(run, why) / all;
}

// A warp loads what nobody has loaded, needs it, and hands on what it makes of it; four warps a block.
SmCode loads_and_hands_on(const SmAccess& handed_on) {
  SmCode code;
  code.register_count = 1;
  code.registers = {0, 0};
  SmInstruction load{.unit = SmUnit::Global, .latency = 33}, use{.unit = SmUnit::Alu},
      hands_on{.unit = SmUnit::Global, .store = true, .latency = 33};
  load.write_count = use.read_count = 1;
  use.reads = 1;
  code.instructions = {load, use, hands_on};
  SmAccess loaded;
  loaded.from_l2 = loaded.from_dram = 4;
  loaded.requests = 1;
  loaded.latency = 700;
  code.accesses = {loaded, handed_on};
  code.blocks.emplace_back(4, std::vector<SmStep>{{0, 0}, {1, SmStep::kNoAccess}, {2, 1}});
  return code;
}

// A warp loads what nobody has loaded and adds it to 32 places, of which L2 takes no more than an H200 did:
// the next block's loads are behind that, and wait for three times as long as DRAM takes.
TEST(SmReductions, WhatIsLoadedBehindThemComesLate) {
  const auto read = waits_of("behind_h200.txt").at("add_once, blocks of 128");
  constexpr double kCycles = 35'000, kBlocks = 96, kWarps = 4;  // of an SM, in 20 us
  SmAccess added;
  added.atomics = added.lines = 32;
  const SmCode code = loads_and_hands_on(added);
  SmSetup setup;
  setup.blocks = static_cast<std::uint64_t>(kBlocks);
  setup.resident_blocks = 16;
  setup.l2_sectors_a_cycle = setup.dram_sectors_a_cycle = 1e6;
  setup.atomic_turn = kCycles / (kBlocks * kWarps * 32);
  setup.store_entries = 280;
  setup.store_buffer = 32;
  const SmRun run = simulate_sm(code, setup);
  EXPECT_NEAR(static_cast<double>(run.settled), kCycles, 0.05 * kCycles);
  const double waits = waited_for(run, SmStall::LongScoreboard) / (kBlocks * kWarps);
  EXPECT_GT(read.at("long_scoreboard"), 3 * 700);
  EXPECT_NEAR(waits, read.at("long_scoreboard"), 0.3 * read.at("long_scoreboard"));
}

// The same with stores to scattered sectors, which L2's slices take at a quarter of the rate of the way to
// them: 32 stores are in L1 and 280 sectors on the way, and loads are behind those.
TEST(SmMemoryQueue, LoadsAreBehindWhatIsStored) {
  const SmCode code =
      loads_and_hands_on({.cycles = 32, .tags = 32, .stored = 32, .lines = 32, .sparse = true});
  SmSetup setup;
  setup.blocks = 96;
  setup.resident_blocks = 16;
  setup.l2_sectors_a_cycle = 1;
  setup.store_entries = 280;
  setup.store_buffer = 32;
  setup.store_queue = 9;
  const auto waits = [&](double stored_a_cycle) {
    setup.stored_a_cycle = stored_a_cycle;
    const SmRun run = simulate_sm(code, setup);
    // An H200: 0.01 (store_once of behind_h200.txt).
    EXPECT_LT(share_of(run, SmStall::LgThrottle) + share_of(run, SmStall::MioThrottle), 0.05);
    return waited_for(run, SmStall::LongScoreboard) / (96.0 * 4);
  };
  EXPECT_GT(waits(0.25), 700 + 280 / 0.25);
  EXPECT_LT(waits(0), waits(0.25));
}

// A turn of a warp: four stores of 32 sectors in eight lines each, so many loads from shared memory and what
// needs them; without these what writes the stores' registers anew.
SmRun stores_and(int each, std::size_t warps) {
  SmCode code;
  code.register_count = 1;
  SmInstruction shared{.unit = SmUnit::Shared, .latency = 23, .busy = 1},
      store{.unit = SmUnit::Global, .store = true, .latency = 33}, use{.unit = SmUnit::Alu};
  shared.schedule = {.stall = 1, .holds = 0};
  store.schedule = {.stall = 4, .reads = 1};
  use.schedule = {.stall = 4, .waits = 1};
  SmInstruction again = use;
  again.schedule.waits = 2;
  code.instructions = {shared, store, use, again};
  code.accesses = {{.cycles = 8, .tags = 8, .stored = 32, .lines = 8, .sparse = true}};
  std::vector<SmStep> turn, steps;
  for (int k = 0; k < 4; ++k) turn.push_back({1, 0});
  for (int k = 0; k < each; ++k) turn.push_back({0, SmStep::kNoAccess});
  turn.push_back({each > 0 ? 2u : 3u, SmStep::kNoAccess});
  for (int k = 0; k < 20; ++k) steps.insert(steps.end(), turn.begin(), turn.end());
  code.blocks.emplace_back(warps, steps);
  const ModelConstants constants = *ModelConstants::load("9.0");
  SmSetup setup;
  setup.queue_entries = static_cast<int>(constants.queue_entries);
  setup.load_entries = static_cast<int>(constants.load_entries);
  setup.load_queue = static_cast<int>(constants.load_queue);
  setup.store_queue = static_cast<int>(constants.store_queue);
  setup.store_buffer = static_cast<int>(constants.store_buffer);
  setup.store_entries = constants.store_entries;
  setup.l2_sectors_a_cycle = 0.93;
  setup.l2_store_share = constants.l2_store_share;
  return simulate_sm(code, setup);
}

// What goes to shared memory is behind stores that L1 does not take yet, and fills the queue with them:
// whoever finds it full waits for it, also to store, and for L1's own limit only where that is what keeps it.
TEST(SmMemoryQueue, StoresAndSharedMemoryWaitInOneQueue) {
  const auto read = waits_of("queues_h200.txt");
  const auto near = [&](const SmRun& run, const std::string& launch, SmStall why, double by) {
    double all = 0;
    for (const auto& [reason, cycles] : read.at(launch)) all += cycles;
    EXPECT_NEAR(share_of(run, why), read.at(launch).at(std::string(name(why))) / all, by)
        << launch << ", " << name(why);
  };
  for (const int each : {1, 4})
    for (const std::size_t warps : {16u, 32u, 64u}) {
      const std::string launch = fmt::format("stores and {} shared, {} warps", each, warps);
      const SmRun run = stores_and(each, warps);
      near(run, launch, SmStall::MioThrottle, 0.2);
      near(run, launch, SmStall::LgThrottle, 0.2);
      near(run, launch, SmStall::ShortScoreboard, 0.15);
      EXPECT_GT(share_of(run, SmStall::MioThrottle), share_of(run, SmStall::LgThrottle)) << launch;
    }
  // Nobody waits for the queue where there is nothing else in it.
  const SmRun stores = stores_and(0, 64);
  near(stores, "stores and 0 nothing, 64 warps", SmStall::MioThrottle, 0.03);
  near(stores, "stores and 0 nothing, 64 warps", SmStall::LgThrottle, 0.12);
}

// Blocks of two warps leave the sooner the longer they were there: 139 cycles late behind 720, none behind
// 1,900.
TEST(SmSchedulers, PairsThatStayLongLeaveInTime) {
  std::size_t compared = 0;
  double modelled = 0, read = 0;
  for (const auto& [name, cycles] : waits_of("busy_h200.txt")) {
    if (name.find("blocks of 64,") == std::string::npos) continue;
    const double drains = cycles.at("drain");
    double stays = -drains;
    for (const auto& [reason, waited] : cycles) stays += waited;
    SmSetup setup;
    setup.blocks = 192;
    setup.resident_blocks = 32;
    setup.block_cycles = 148;
    setup.dram_sectors_a_cycle = setup.l2_sectors_a_cycle = 1e6;
    setup.pair_drain_each = 5;
    setup.pair_drain_most = 440;
    const SmRun run = simulate_sm(
        sm_sample({.loads = 1, .sums = 4, .warps = 2, .latency = static_cast<std::uint16_t>(stays - 30)}),
        setup);
    const double late = waited_for(run, SmStall::Drain) / (2 * 192.0);
    EXPECT_NEAR(late, drains - 21, 65) << name << ", stays " << stays << " (21: of any warp that has stored)";
    modelled += late, read += drains - 21;
    ++compared;
  }
  EXPECT_EQ(compared, 16u);
  EXPECT_NEAR(modelled, read, 0.25 * read);
}

}  // namespace
}  // namespace warplens::analysis
