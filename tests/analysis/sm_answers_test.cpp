// What the caches answered blocks from all over a launch, for the few that stand for them in the model of an
// SM.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/caches.h"
#include "engine/analysis/device.h"
#include "engine/analysis/sm_accesses.h"
#include "engine/analysis/sm_code.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {
namespace {

// Of two blocks that stand for all the first found nothing in L2, as few others did.
TEST(SmAccesses, BlocksThatStandForOthersHaveTheirAnswers) {
  trace::Site site;
  site.kind = trace::SiteKind::Load;
  site.space = trace::Space::Global;
  site.bytes = site.executed_bytes = 4;
  std::array<std::uint64_t, 32> at{};
  for (std::size_t lane = 0; lane < at.size(); ++lane) at[lane] = 4096 + 4 * lane;
  trace::Recorder recorder({.chosen = {1, 6}});
  for (const std::uint64_t block : {1u, 6u}) {
    trace::Access load;
    load.site = 0;
    load.kind = site.kind;
    load.space = site.space;
    load.bytes = 4;
    load.warp = {block, 0};
    load.active = kFullMask;
    load.addresses = at.data();
    recorder.on_block_begin(block);
    recorder.on_access(load);
    recorder.on_block_end(block);
  }
  trace::Trace trace = recorder.take();
  trace.sites = {site};
  CacheReport caches;
  caches.sites.resize(1);
  const ServedAccess cold{.from_l2 = 4, .from_dram = 4}, warm{.from_l2 = 4};
  caches.served = {{1, {{cold}}}, {2, {{warm}}}, {3, {{warm, warm}}},
                   {6, {{warm}}}, {7, {{warm}}}, {8, {{cold}}}};
  Device device;
  device.l1_latency = 33;
  device.l2_latency = 300;
  device.dram_latency = 700;
  SmCode code;
  SmAccesses accesses(trace, caches, device, code);
  std::vector<std::uint32_t> numbers;
  for (const trace::BlockSteps& block : trace.blocks()) {
    accesses.begin(block);
    ASSERT_TRUE(accesses.add(static_cast<std::uint32_t>(block.first), numbers.emplace_back()));
  }
  accesses.answer_as_others();
  ASSERT_EQ(numbers.size(), 2u);
  ASSERT_EQ(code.answers, 3u) << "its own, and two of its part of the launch";
  const auto of_dram = [&](std::size_t block) {
    std::vector<int> out;
    for (std::uint32_t answer = 0; answer < code.answers; ++answer)
      out.push_back(code.access(numbers[block], answer).from_dram);
    return out;
  };
  EXPECT_EQ(of_dram(0), (std::vector<int>{4, 0, 0})) << "block 3 has two accesses, so that another answers";
  EXPECT_EQ(of_dram(1), (std::vector<int>{0, 0, 4}));
  EXPECT_EQ(code.access(numbers[0], 1).latency, 300);
  EXPECT_EQ(code.access(numbers[1], 2).latency, 700);
  EXPECT_TRUE(code.access(numbers[1], 2).cold);
}

TEST(SmAccesses, CachesAreAskedAboutBlocksFromAllOverTheLaunch) {
  AccessLog log;
  for (std::uint64_t block = 0; block < 40; ++block) log.blocks.push_back({block, 1, {0, 0, 0}});
  std::vector<trace::BlockSteps> sample;
  for (const std::uint64_t block : {4u, 12u, 20u, 28u, 36u}) sample.push_back({block, 0, 0});
  const std::vector<std::uint64_t> asked = blocks_to_ask(log, sample);
  EXPECT_TRUE(std::ranges::is_sorted(asked));
  EXPECT_GT(asked.size(), 30u);
  for (std::uint64_t part = 0; part < 5; ++part)
    EXPECT_GE(std::ranges::count_if(asked, [&](std::uint64_t b) { return b / 8 == part; }), 5) << part;
  log.blocks.front().words.resize(std::size_t{1} << 24);
  EXPECT_EQ(blocks_to_ask(log, sample).size(), 5u) << "where blocks access so much";
}

// Of a launch whose blocks are of two kinds each that is stored has others of its own kind.
TEST(SmAccesses, CachesAreAskedAboutBlocksOfTheSameKind) {
  AccessLog log;
  for (std::uint64_t block = 0; block < 400; ++block)
    log.blocks.push_back({block, 1, std::vector<std::uint64_t>(block % 20 == 7 ? 60 : 2)});
  const std::vector<trace::BlockSteps> sample{{4, 0, 0}, {87, 0, 0}, {127, 0, 0}, {300, 0, 0}};
  const std::vector<std::uint64_t> asked = blocks_to_ask(log, sample);
  EXPECT_TRUE(std::ranges::is_sorted(asked));
  EXPECT_GE(std::ranges::count_if(asked, [](std::uint64_t b) { return b % 20 == 7; }), 8);
  EXPECT_GE(std::ranges::count_if(asked, [](std::uint64_t b) { return b % 20 != 7; }), 8);
}

}  // namespace
}  // namespace warplens::analysis
