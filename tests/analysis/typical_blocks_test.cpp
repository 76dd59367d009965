// Which blocks stand for a launch whose blocks differ, and which of them the blocks of an SM are like.

#include "engine/analysis/typical_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace warplens::analysis {
namespace {

using Blocks = std::vector<std::uint64_t>;

template <typename Executed>
trace::BlockWork work_of(std::uint64_t blocks, const Executed& executed) {
  trace::BlockWork out(blocks);
  for (std::uint64_t b = 0; b < blocks; ++b) out.add(b, executed(b));
  return out;
}

Blocks every(std::uint64_t step, std::uint64_t blocks) {
  Blocks out;
  for (std::uint64_t b = step / 2; b < blocks; b += step) out.push_back(b);
  return out;
}

// A row of 128 blocks of which the first five have something to do, as of a naive transpose.
std::uint64_t of_row(std::uint64_t block) {
  return block % 128 < 5 ? 216 : 136;
}

TEST(TypicalBlocks, AreNoneWhereBlocksAreAlike) {
  EXPECT_TRUE(
      blocks_like_all(work_of(1000, [](auto b) { return 100 + b % 20; }), every(10, 1000), 4).empty());
  const auto last_ends_early = work_of(1000, [](auto b) { return b == 999 ? 20 : 100; });
  EXPECT_TRUE(blocks_like_all(last_ends_early, every(10, 1000), 4).empty()) << "one of a thousand";
  EXPECT_FALSE(order_of_sm(last_ends_early, Blocks{10, 20}, 132));
  const trace::BlockWork some_ran = work_of(1000, [](auto b) { return b % 3 == 0 ? 0 : b; });
  EXPECT_TRUE(blocks_like_all(some_ran, every(10, 1000), 4).empty()) << "what did not run is not known";
  const trace::BlockWork by_many = work_of(2 * trace::BlockWork::kMost, of_row);
  EXPECT_TRUE(blocks_like_all(by_many, every(1000, 100000), 4).empty()) << "blocks were counted by twos";
}

TEST(TypicalBlocks, AreOfEachKindAndMoreOfThoseThatDoSomething) {
  const Blocks chosen = blocks_like_all(work_of(65536, of_row), every(509, 65536), 4);
  ASSERT_EQ(chosen.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  EXPECT_EQ(std::ranges::count_if(chosen, [](auto b) { return of_row(b) == 216; }), 3);
  EXPECT_EQ(std::ranges::count_if(chosen, [](auto b) { return of_row(b) == 136; }), 1);
}

TEST(TypicalBlocks, LieWhereTheBlocksOfTheLaunchDo) {
  // Two of three do about a hundred, the others anything up to a thousand.
  const auto executed = [](std::uint64_t b) { return b % 3 != 0 ? 95 + b % 10 : 100 + b * 7 % 900; };
  const Blocks chosen = blocks_like_all(work_of(3000, executed), every(23, 3000), 4);
  ASSERT_EQ(chosen.size(), 4u);
  EXPECT_GE(std::ranges::count_if(chosen, [&](auto b) { return executed(b) < 200; }), 1);
  EXPECT_GE(std::ranges::count_if(chosen, [&](auto b) { return executed(b) > 600; }), 1);
}

// An SM of the H200 is given every 132nd block: one or two of 32 that follow each other are of those five.
TEST(TypicalBlocks, ComeInTheOrderInWhichAnSmIsGivenItsBlocks) {
  const trace::BlockWork work = work_of(65536, of_row);
  const Blocks stored{0, 128, 256, 300};
  const auto order = order_of_sm(work, stored, 132);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->of_sm.size(), 65536u / 132 + 1);
  ASSERT_EQ(order->shares.size(), 4u);
  EXPECT_NEAR(std::accumulate(order->shares.begin(), order->shares.end(), 0.0), 1, 1e-9);
  EXPECT_NEAR(order->shares[3], 123.0 / 128, 1e-9) << "those that have nothing to do";
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(order->shares[k], 5.0 / 128 / 3, 1e-4) << "by turns";
  EXPECT_NEAR(static_cast<double>(std::ranges::count(order->of_sm, 3u)), 123.0 / 128 * 497, 5);
  EXPECT_FALSE(order_of_sm(work_of(100, of_row), Blocks{0, 60}, 132)) << "no SM is given two";
}

}  // namespace
}  // namespace warplens::analysis
