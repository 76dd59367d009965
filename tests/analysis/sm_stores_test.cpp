// What an SM does with stores, and whose turn it is, as an H100 does it (tests/models/golden/stores_h100.txt
// and scheduler_h100.txt, made by tools/golden/stores.cu and scheduler.cu).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/analysis/sm_simulation.h"
#include "engine/analysis/time_model.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

SmSetup as_an_h100(int places) {
  SmSetup s;
  s.blocks = s.resident_blocks = places;
  s.l2_sectors_a_cycle = 0.93;
  s.l2_store_share = 0.52;
  s.dram_sectors_a_cycle = 1e6;
  s.store_queue = 9;
  s.store_buffer = 32;
  s.store_entries = 280;
  return s;
}

// Blocks that only store: whole lines, `stores` a warp.
SmCode storing(std::size_t warps, std::size_t stores) {
  SmCode code;
  code.register_count = 1;
  SmInstruction store{.unit = SmUnit::Global, .store = true};
  code.instructions = {store};
  SmAccess line;
  line.stored = 4;
  code.accesses = {line};
  code.blocks.emplace_back(warps, std::vector<SmStep>(stores, SmStep{0, 0}));
  return code;
}

// When the n-th store of the SM was issued, from its begin.
std::int64_t issued_at(const SmCode& code, std::size_t n) {
  SmSetup setup = as_an_h100(1);
  setup.record = 100'000;
  std::vector<std::int64_t> at;
  for (const auto& warp : simulate_sm(code, setup).warps)
    for (const SmSegment& segment : warp)
      if (segment.state == SmStall::Selected)
        for (std::int64_t c = segment.begin; c < segment.end; ++c) at.push_back(c);
  std::ranges::sort(at);
  return at.at(n - 1);
}

// 16 warps of 40 stores, all SMs: the 128th was taken at cycle 298, the 204th at 615, the 325th at 1,521, the
// 640th at 4,231. The reading's own clocks slow down the first hundred.
TEST(SmStores, AreTakenUntilBothBuffersAreFull) {
  const SmCode code = storing(16, 40);
  EXPECT_LT(issued_at(code, 64), 135);
  EXPECT_NEAR(static_cast<double>(issued_at(code, 128)), 298, 80);
  EXPECT_NEAR(static_cast<double>(issued_at(code, 204)), 615, 120);
  EXPECT_NEAR(static_cast<double>(issued_at(code, 325)), 1521, 200);
  EXPECT_NEAR(static_cast<double>(issued_at(code, 640)), 4231, 300);
}

// Blocks of one warp or eight, of which each lane stores `stores` words: what a warp that ends waits for
// them, as an H200 does it (tests/models/golden/first_lines_h200.txt: stores<N, STRIDE>).
TEST(SmStores, WarpsLeaveWhenTheirLastLinesAreInABuffer) {
  std::int64_t last = 0;  // warp of the run before, when it ended
  const auto drain = [&](std::size_t warps, std::size_t stores, std::uint16_t lines) {
    SmCode code = storing(warps, stores);
    code.accesses[0].stored = lines == 1 ? 4 : 32;
    code.accesses[0].lines = code.accesses[0].cycles = lines;
    SmSetup setup = as_an_h100(1);
    setup.l2_sectors_a_cycle = 2;  // an SM alone
    const SmRun run = simulate_sm(code, setup);
    last = run.cycles;
    return (waited_for(run, SmStall::Drain) + waited_for(run, SmStall::LgThrottle)) /
           static_cast<double>(warps);
  };
  EXPECT_NEAR(drain(1, 1, 1), 21, 8);
  EXPECT_NEAR(drain(8, 8, 1), 84, 40);
  EXPECT_NEAR(drain(1, 1, 8), 37, 10) << "32 sectors in eight lines";
  EXPECT_NEAR(drain(8, 1, 8), 75, 20);
  EXPECT_NEAR(drain(1, 8, 8), 158, 30);
  drain(8, 4, 8);  // warps of the GPU take turns and end together, so what one waits is when the last ends
  EXPECT_NEAR(static_cast<double>(last), 926, 150);
  EXPECT_NEAR(drain(8, 1, 32), 238, 40) << "and in 32";
  EXPECT_NEAR(drain(1, 4, 32), 211, 40);
  drain(8, 4, 32);
  EXPECT_NEAR(static_cast<double>(last), 1550, 250);
}

// 32 warps of two stores, one block at a time: 600 cycles a block, of which L2 needs all; what a block has
// stored is on its way long after its warps have ended.
TEST(SmStores, ABlockEndsBeforeL2HasWhatItStored) {
  SmSetup setup = as_an_h100(1);
  setup.blocks = 24;
  setup.turnover_cycles = 270;
  const SmRun run = simulate_sm(storing(32, 2), setup);
  EXPECT_NEAR(static_cast<double>(run.settled) / 24, 4.0 * 64 / (0.93 * 0.52), 60);
  EXPECT_LT(run.stalls[static_cast<std::size_t>(SmStall::Drain)] / (24 * 32), 265) << "half of what L2 needs";
}

// Two blocks of 32 warps with the same arithmetic: the first ends at cycle 2,100 to 2,300, the second at
// 4,200 to 4,700. Warps of one block end together, within a tenth.
TEST(SmSchedulers, TakeTheOldestBlockFirstAndItsWarpsInTurn) {
  SmSetup setup = as_an_h100(2);
  setup.record = 1'000'000;
  const SmRun run = simulate_sm(sm_sample({.loads = 0, .sums = 256, .warps = 32}), setup);
  const auto end_of = [&](std::size_t slot) { return run.warps[slot].back().end; };
  std::int64_t first = 0, second = run.cycles, earliest = run.cycles;
  for (std::size_t w = 0; w < 32; ++w) {
    first = std::max(first, end_of(w));
    earliest = std::min(earliest, end_of(w));
    second = std::min(second, end_of(32 + w));
  }
  EXPECT_LT(static_cast<double>(first), 0.6 * static_cast<double>(run.cycles));
  EXPECT_GT(static_cast<double>(second), 0.9 * static_cast<double>(run.cycles));
  EXPECT_GT(static_cast<double>(earliest), 0.9 * static_cast<double>(first));
}

// tests/models/golden/small_blocks_h100.txt: blocks of two warps with nothing to do stay in drain for 166
// cycles a warp where an SM is given 62, 287 of 124, 401 of 496; of four warps for 12, 9 and 7.
TEST(SmStores, BlocksOfTwoWarpsLeaveLate) {
  const auto drain = [](std::size_t warps, int blocks) {
    SmSetup setup = as_an_h100(32);
    setup.blocks = static_cast<std::uint64_t>(blocks);
    setup.block_cycles = 148;
    setup.pair_drain_each = 5;
    setup.pair_drain_most = 440;
    const SmRun run = simulate_sm(sm_sample({.loads = 0, .sums = 4, .warps = warps}), setup);
    return run.stalls[static_cast<std::size_t>(SmStall::Drain)] / (blocks * static_cast<double>(warps));
  };
  EXPECT_NEAR(drain(2, 62), 166, 40);
  EXPECT_NEAR(drain(2, 124), 287, 50);
  EXPECT_NEAR(drain(2, 496), 401, 40);
  EXPECT_LT(drain(4, 124), 12);
}

// Work that is irregular: five blocks that happen to execute twice of what blocks do on the average.
TEST(TimeModel, BlocksThatExecuteMoreThanOthersStandForMoreOfThem) {
  Device device;
  device.sms = 1;
  device.boost_mhz = 1000;
  device.dram_gbps = 1000;
  device.l2_gbps = 4000;
  ModelConstants constants;
  constants.launch_us = 3;
  SmCode code = sm_sample({.loads = 1, .sums = 400, .warps = 4});
  code.walked_a_block = 1600;
  LaunchFacts facts;
  facts.blocks = 100;
  facts.blocks_per_sm = 4;
  const auto body = [&](double ptx_a_block) {
    facts.ptx_a_block = ptx_a_block;
    const TimeModel model = time_model(code, facts, device, constants);
    for (const double us : without_each(model, code, facts, device, constants)) EXPECT_LE(us, model.us);
    return model.us - model.part(TimePart::Launch);
  };
  const double as_they_are = body(1600);
  EXPECT_NEAR(body(800), as_they_are / 2, 0.01 * as_they_are);
  EXPECT_NEAR(body(3200), 2 * as_they_are, 0.01 * as_they_are);
  EXPECT_DOUBLE_EQ(body(0), as_they_are) << "nobody has counted them";
}

}  // namespace
}  // namespace warplens::analysis
