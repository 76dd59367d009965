// How long a launch takes whose blocks differ, against what can be worked out by hand.

#include "engine/analysis/uneven_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/analysis/time_model.h"
#include "tests/sm_sample.h"

namespace warplens::analysis {
namespace {

trace::BlockWork work_of(const std::vector<std::uint64_t>& instructions) {
  trace::BlockWork out(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) out.add(i, instructions[i]);
  return out;
}

TEST(UnevenBlocks, ABlockForEachPlaceEndsWithTheLongest) {
  const LaunchLength l = launch_length(work_of({400, 100, 100, 200}), {.sms = 4});
  EXPECT_DOUBLE_EQ(l.as_they_are, 400);
  EXPECT_DOUBLE_EQ(l.even, 200);
}

TEST(UnevenBlocks, TheNextBlockBeginsWhereOneEndedFirst) {
  // The SM of 100 takes the third block as well, and is done with it when the other one is.
  const LaunchLength l = launch_length(work_of({300, 100, 200}), {.sms = 2});
  EXPECT_DOUBLE_EQ(l.as_they_are, 300);
  EXPECT_DOUBLE_EQ(l.even, 400) << "two of 200 on one of them";
}

TEST(UnevenBlocks, BlocksOfAnSmShareWhatItCanDo) {
  // Two at a time at half of their pace until the shorter one is done, then the other one alone.
  const LaunchLength l = launch_length(work_of({300, 100}), {.sms = 1, .resident = 2, .at_once = 1});
  EXPECT_DOUBLE_EQ(l.as_they_are, 200 + 200);
  EXPECT_DOUBLE_EQ(l.even, 400);
  const LaunchLength wide = launch_length(work_of({300, 100}), {.sms = 1, .resident = 2, .at_once = 2});
  EXPECT_DOUBLE_EQ(wide.as_they_are, 300);
  EXPECT_DOUBLE_EQ(wide.even, 200);
}

TEST(UnevenBlocks, WhatABlockTakesBesidesIsNotShared) {
  const BlockPlaces places{.sms = 1, .resident = 2, .at_once = 1, .besides = 300};
  const LaunchLength l = launch_length(work_of({100, 100}), places);
  EXPECT_DOUBLE_EQ(l.as_they_are, 400) << "each executes in a quarter of its time";
  EXPECT_DOUBLE_EQ(l.even, l.as_they_are);
}

TEST(UnevenBlocks, BlocksThatHaveNothingToDoAreNotFelt) {
  std::vector<std::uint64_t> instructions(32, 10);
  instructions.front() = 1000;
  const LaunchLength l = launch_length(work_of(instructions), {.sms = 1, .resident = 32, .at_once = 1});
  EXPECT_NEAR(l.as_they_are, 1000, 1);
}

TEST(UnevenBlocks, AGreatManyAreKeptTogether) {
  const std::uint64_t blocks = 3 * trace::BlockWork::kMost;
  trace::BlockWork work(blocks);
  EXPECT_EQ(work.each(), 3u);
  for (std::uint64_t b = 0; b < blocks; ++b) work.add(b, b < 3 ? 500 : 100);
  EXPECT_EQ(work.instructions().size(), trace::BlockWork::kMost);
  EXPECT_EQ(work.instructions().front(), 1500u);
  const BlockPlaces places{.sms = 1024, .resident = 1};
  const LaunchLength l = launch_length(work, places);
  EXPECT_NEAR(l.as_they_are, 19200, 500) << "the long ones begin first, others take what they leave";
  EXPECT_FALSE(is_uneven(work, places)) << "of so many rounds three blocks do not matter";
}

TEST(UnevenBlocks, WhatDidNotRunIsTakenToBeLikeTheRest) {
  EXPECT_DOUBLE_EQ(launch_length(work_of({100, 0, 0, 100}), {.sms = 4}).as_they_are, 100);
  EXPECT_DOUBLE_EQ(launch_length(work_of({0, 0}), {.sms = 4}).as_they_are, 0) << "nothing ran";
  EXPECT_FALSE(is_uneven(work_of({100, 0, 0, 100}), {.sms = 4}));
  EXPECT_TRUE(is_uneven(work_of({100, 0, 0, 300}), {.sms = 4}));
  EXPECT_FALSE(is_uneven(work_of({100, 300}), {.sms = 0})) << "a GPU that nobody described";
}

// Four blocks, one of which turns four times as often: an SM each, so the launch takes as long as that one.
TEST(UnevenBlocks, TheLongestBlockDecidesOfALaunchOfFew) {
  Device device;
  device.sms = 4;
  device.boost_mhz = 1000;
  device.dram_gbps = 1000;
  device.l2_gbps = 4000;
  ModelConstants constants;
  constants.launch_us = 3;
  const auto block = [](std::uint32_t turns) {
    return sm_sample({.loads = 1, .sums = 40, .turns = turns, .warps = 4});
  };
  SmCode code = block(10), longer = block(40);
  const auto steps = [](const SmCode& c) { return c.steps_of(0); };
  const double few = steps(code), many = steps(longer);
  code = longer;
  const SmCode shorter = block(10);
  code.blocks = {shorter.blocks.front(), longer.blocks.front(), shorter.blocks.front(),
                 shorter.blocks.front()};
  code.walked = {few, many, few, few};
  code.walked_a_block = (3 * few + many) / 4;
  LaunchFacts facts;
  facts.blocks = 4;
  facts.ptx_a_block = code.walked_a_block;
  facts.by_block = std::make_shared<trace::BlockWork>(
      work_of({static_cast<std::uint64_t>(few), static_cast<std::uint64_t>(many),
               static_cast<std::uint64_t>(few), static_cast<std::uint64_t>(few)}));
  const auto body = [&](const SmCode& c, const LaunchFacts& f) {
    const TimeModel model = time_model(c, f, device, constants);
    for (const double us : without_each(model, c, f, device, constants)) EXPECT_LE(us, model.us);
    return model.us - model.part(TimePart::Launch);
  };
  LaunchFacts all_long;
  all_long.blocks = 4;
  const double longest = body(longer, all_long);
  EXPECT_NEAR(body(code, facts), longest, 0.05 * longest);
  facts.by_block = nullptr;
  EXPECT_LT(body(code, facts), 0.6 * longest) << "who does not know of it takes the first for all";
}

}  // namespace
}  // namespace warplens::analysis
