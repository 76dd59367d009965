// What a log of accesses keeps of a launch that several threads run.
#include "engine/analysis/access_log.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/trace/event.h"

namespace warplens::analysis {
namespace {

// Blocks are kept from the first on, whichever thread had them, and however far ahead one of them is.
TEST(AccessLog, WhatIsKeptDoesNotDependOnThreads) {
  std::array<std::uint64_t, 32> at{};
  for (std::size_t lane = 0; lane < at.size(); ++lane) at[lane] = 4096 + 4 * lane;
  using Turn = std::pair<int, std::uint64_t>;  // thread, block
  const auto run = [&](int threads, const std::vector<Turn>& turns) {
    AccessLogger whole({trace::Site{}}, {.words = 9});
    std::vector<std::unique_ptr<trace::Listener>> forks;
    for (int t = 0; t < threads; ++t) forks.push_back(whole.fork());
    for (const auto& [thread, block] : turns) {
      trace::Listener& own = *forks[static_cast<std::size_t>(thread)];
      if (!own.wants_block(block)) continue;
      own.on_block_begin(block);
      trace::Access access;
      access.site = 0;
      access.warp = {block, 0};
      access.active = kFullMask;
      access.addresses = at.data();
      own.on_access(access);
    }
    for (const auto& fork : forks) whole.join(*fork);
    return whole.take();
  };
  std::vector<Turn> in_turn, ahead{{0, 0}};
  for (std::uint64_t block = 0; block < 20; ++block) in_turn.emplace_back(block % 3, block);
  for (std::uint64_t block = 10; block < 20; ++block) ahead.emplace_back(1, block);
  for (std::uint64_t block = 1; block < 10; ++block) ahead.emplace_back(0, block);
  std::vector<Turn> alone = in_turn;
  for (Turn& turn : alone) turn.first = 0;
  const AccessLog one = run(1, alone);
  ASSERT_GT(one.blocks.size(), 1u);
  ASSERT_LT(one.blocks.size(), 10u);
  for (const AccessLog& other : {run(3, in_turn), run(2, ahead)}) {
    ASSERT_EQ(one.blocks.size(), other.blocks.size());
    for (std::size_t i = 0; i < one.blocks.size(); ++i) {
      EXPECT_EQ(one.blocks[i].block, other.blocks[i].block);
      EXPECT_EQ(one.blocks[i].words, other.blocks[i].words);
    }
  }
}

}  // namespace
}  // namespace warplens::analysis
