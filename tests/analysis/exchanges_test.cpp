// Whose values a lane has after shuffles, votes and reductions, and what belongs to one network.
#include "engine/analysis/exchanges.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "engine/ptx/syntax/parser.h"

namespace warplens::analysis {
namespace {

std::vector<ExchangeNetwork> networks_of(const std::string& body) {
  const auto module = ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r60, %tid.x;
)" + body + "\n  st.global.u32 [%rd1], %r1;\n  ret;\n}");
  EXPECT_TRUE(module) << module.error().text();
  return module ? exchange_networks(*module, module->functions.front()) : std::vector<ExchangeNetwork>();
}

// v += shfl(v), for each distance.
std::string sums(const std::string& mode, const std::vector<int>& distances, int clamp = 31) {
  std::string out;
  for (const int distance : distances)
    out += fmt::format("shfl.sync.{}.b32 %r2|%p1, %r1, {}, {}, -1;\nadd.s32 %r1, %r1, %r2;\n", mode, distance,
                       clamp);
  return out;
}

TEST(Exchanges, ASumDownEndsInLaneZero) {
  const auto networks = networks_of(sums("down", {16, 8, 4, 2, 1}));
  ASSERT_EQ(networks.size(), 1u);
  const auto& all = networks[0].exchanges;
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].function, "__shfl_down_sync");
  EXPECT_EQ(all[0].distance, 16);
  EXPECT_EQ(all[0].source[3], 19);
  EXPECT_EQ(all[0].source[20], 20) << "beyond the warp a lane keeps its own";
  EXPECT_EQ(all[0].holds[3], LaneMask{1} << 3 | LaneMask{1} << 19);
  EXPECT_EQ(all[1].held[3], all[0].holds[3]);
  EXPECT_EQ(all[4].holds[0], kFullMask);
  EXPECT_NE(all[4].holds[1], kFullMask);
}

TEST(Exchanges, AButterflyEndsInEveryLane) {
  const auto networks = networks_of(sums("bfly", {1, 2, 4, 8, 16}));
  ASSERT_EQ(networks.size(), 1u);
  for (const LaneMask holds : networks[0].exchanges.back().holds) EXPECT_EQ(holds, kFullMask);
  for (const LaneMask holds : networks[0].exchanges[2].holds) EXPECT_EQ(std::popcount(holds), 8);
}

// A lane below the distance reads itself, and the kernel adds nothing then; distances stand in registers.
TEST(Exchanges, ARunningSumHasAllLanesUpToItsOwn) {
  std::string body = "mov.b32 %r50, 0; mov.b32 %r51, -1;\n";
  int constant = 40;
  for (const int distance : {1, 2, 4, 8, 16})
    body += fmt::format(
        "mov.b32 %r{0}, {1};\nshfl.sync.up.b32 %r2|%p1, %r1, %r{0}, %r50, %r51;\nsetp.lt.u32 %p2, %r60, "
        "{1};\n"
        "selp.b32 %r3, 0, %r2, %p2;\nadd.s32 %r1, %r3, %r1;\n",
        constant++, distance);
  const auto networks = networks_of(body);
  ASSERT_EQ(networks.size(), 1u);
  ASSERT_EQ(networks[0].exchanges.size(), 5u);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(networks[0].exchanges[4].holds[lane], static_cast<LaneMask>((std::uint64_t{2} << lane) - 1))
        << lane;
}

// Segments of eight: the mask in bits 8 to 12 of c.
TEST(Exchanges, WidthsKeepToTheirPartOfTheWarp) {
  const auto networks = networks_of(sums("bfly", {4, 2, 1}, 0x181f));
  ASSERT_EQ(networks.size(), 1u);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(networks[0].exchanges[2].holds[lane], 0xffu << (lane & ~7u));
  const auto broadcast = networks_of(sums("idx", {5}, 0x181f));
  EXPECT_EQ(broadcast[0].exchanges[0].source[17], 21);
}

TEST(Exchanges, VotesAndReductionsAskAll) {
  const auto vote = networks_of("setp.gt.s32 %p1, %r1, 0;\nvote.sync.ballot.b32 %r1, %p1, -1;");
  ASSERT_EQ(vote.size(), 1u);
  EXPECT_EQ(vote[0].exchanges[0].kind, Exchange::Kind::Ballot);
  EXPECT_EQ(vote[0].exchanges[0].function, "__ballot_sync");
  EXPECT_EQ(vote[0].exchanges[0].holds[9], kFullMask);
  const auto sum = networks_of("redux.sync.max.u32 %r1, %r1, 0xffff;");
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(sum[0].exchanges[0].function, "__reduce_max_sync");
  EXPECT_EQ(sum[0].exchanges[0].holds[9], 0xffffu);
  EXPECT_EQ(sum[0].exchanges[0].holds[20], LaneMask{1} << 20) << "no member";
}

TEST(Exchanges, WhatBeginsAnewIsAnotherNetworkAndTheSameIsOne) {
  const std::string again = "ld.global.u32 %r1, [%rd1];\n";
  const std::string sum = sums("down", {16, 8, 4, 2, 1});
  const auto twice = networks_of(sum + again + sum);
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].times, 2);
  const auto two = networks_of(sum + again + sums("bfly", {1}));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].exchanges.size(), 1u);
  // What lane 0 has goes on to all: the same network.
  const auto told = networks_of(sum + "shfl.sync.idx.b32 %r2|%p1, %r1, 0, 31, -1;\nmov.u32 %r1, %r2;");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].exchanges.back().holds[31], kFullMask);
}

// Compilers add in another order than the source does, and work on two sums in turn.
TEST(Exchanges, SumsOfSeveralInstructionsAndInTurn) {
  std::string body = "ld.global.u32 %r5, [%rd1+4];\nmov.u32 %r9, %r60;\n";
  for (const int distance : {16, 8, 4, 2, 1})
    body += fmt::format(
        "shfl.sync.bfly.b32 %r2|%p1, %r1, {0}, 31, -1;\nshfl.sync.bfly.b32 %r6|%p1, %r5, {0}, 31, -1;\n"
        "add.s32 %r3, %r2, %r9;\nadd.s32 %r1, %r3, %r1;\nadd.s32 %r5, %r5, %r6;\n",
        distance);
  const auto networks = networks_of(body);
  ASSERT_EQ(networks.size(), 1u) << "two that are alike";
  EXPECT_EQ(networks[0].times, 2);
  ASSERT_EQ(networks[0].exchanges.size(), 5u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(std::popcount(networks[0].exchanges[static_cast<std::size_t>(i)].holds[7]), 2 << i);
}

TEST(Exchanges, ALaneThatComputesWhomItReadsIsNotGuessed) {
  const auto networks = networks_of("shfl.sync.idx.b32 %r2|%p1, %r1, %r60, 31, -1;\nmov.u32 %r1, %r2;");
  ASSERT_EQ(networks.size(), 1u);
  EXPECT_FALSE(networks[0].exchanges[0].known);
  EXPECT_EQ(networks[0].exchanges[0].distance, -1);
  EXPECT_TRUE(networks_of("add.s32 %r1, %r1, 1;").empty());
}

}  // namespace
}  // namespace warplens::analysis
