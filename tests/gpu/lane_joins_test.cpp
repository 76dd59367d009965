#include "engine/gpu/lane_joins.h"

#include <gmock/gmock.h>

#include <optional>
#include <utility>

#include "engine/ptx/syntax/parser.h"

namespace warplens::gpu {
namespace {

// A loop of `body` whose trip count differs by lane; `before` and `behind` stand around it.
ptx::Module loop_of(const std::string& body, const std::string& before, const std::string& behind,
                    const std::string& condition) {
  const std::string text = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<5>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 bins[128];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r3, %r1, 7;
  )" + before + R"(
LOOP:
  )" + body + R"(
  sub.u32 %r3, %r3, 1;
  )" + condition + R"(
  @%p2 bra LOOP;
BEHIND:
  st.global.u32 [%rd1], %r3;
  )" + behind + R"(
  ret;
}
)";
  const auto module = ptx::parse(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().text());
  return module ? *module : ptx::Module{};
}

// A loop of one block to which only code leads that is never run, and goes round itself.
TEST(LaneJoins, CodeThatIsNeverReachedKeepsNobodyBusy) {
  const auto module = ptx::parse(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k()
{
  .reg .pred %p<3>;
LOOP:
  @%p1 bra LOOP;
  ret;
AROUND:
  @%p2 bra AROUND;
  bra LOOP;
}
)");
  ASSERT_TRUE(module.has_value()) << module.error().text();
  EXPECT_TRUE(find_lone_loops(*module, module->functions[0], nullptr).empty());
  EXPECT_TRUE(find_lane_joins(*module, module->functions[0], nullptr).empty());
}

std::vector<LaneJoin> joins_of(const std::string& body, const std::string& behind = "",
                               const std::string& condition = "setp.ge.s32 %p2, %r3, 0;") {
  const ptx::Module module = loop_of(body, "", behind, condition);
  const auto uniformity = ptx::Uniformity::compute(module, module.functions[0]);
  return find_lane_joins(module, module.functions[0], &uniformity);
}

// Block and join of the only lone loop; nothing when there is none.
std::optional<std::pair<std::uint32_t, LaneJoin>> lone_loop_of(const std::string& body,
                                                               const std::string& before = "",
                                                               const std::string& behind = "") {
  const ptx::Module module = loop_of(body, before, behind, "setp.ge.s32 %p2, %r3, 0;");
  const auto uniformity = ptx::Uniformity::compute(module, module.functions[0]);
  const auto loops = find_lone_loops(module, module.functions[0], &uniformity);
  if (loops.size() != 1) return std::nullopt;
  return std::pair{loops[0].block, loops[0].join};
}

TEST(LaneJoins, BehindALoopWithAnAtomic) {
  // 0 ld.param, 1 mov, 2 and; 3 atom, 4 sub, 5 setp, 6 bra; 7 st, 8 ret
  const std::vector<LaneJoin> expected{{2, 7}};
  EXPECT_EQ(joins_of("atom.shared.add.u32 %r4, [bins], 1;"), expected);
  EXPECT_EQ(joins_of("red.shared.add.u32 [bins], 1;"), expected);
  EXPECT_EQ(joins_of("ld.volatile.global.u32 %r4, [%rd1];"), expected);
}

TEST(LaneJoins, NoneWhereTheLoopDoesNotYield) {
  EXPECT_THAT(joins_of("ld.global.u32 %r4, [%rd1];"), testing::IsEmpty());
  EXPECT_THAT(joins_of("red.global.add.u32 [%rd1], 1;"), testing::IsEmpty());
  EXPECT_THAT(joins_of("atom.shared.add.u32 %r4, [bins], 1;", "", "setp.ge.s32 %p2, 1, 2;"),
              testing::IsEmpty());  // all lanes leave together
}

// The lane that would be waited for may itself wait for one that stands at the join.
TEST(LaneJoins, NoneWhereALaneCouldWaitForAnother) {
  const std::string take = "atom.shared.cas.b32 %r4, [bins], 0, 1;";
  EXPECT_THAT(joins_of(take, "", "setp.ne.u32 %p2, %r4, 0;"), testing::IsEmpty());
  EXPECT_THAT(joins_of(take + " add.u32 %r5, %r4, 1; mov.u32 %r6, %r5;", "", "setp.ne.u32 %p2, %r6, 1;"),
              testing::IsEmpty());
  EXPECT_THAT(joins_of(take + " bar.sync 0;"), testing::IsEmpty());
  EXPECT_THAT(joins_of(take + " membar.gl;"), testing::IsEmpty());
  EXPECT_THAT(joins_of(take + " nanosleep.u32 20;"), testing::IsEmpty());
  EXPECT_THAT(joins_of(take + " vote.sync.any.pred %p3, %p2, -1;"), testing::IsEmpty());
  // What the atomic returned decides about an increment, and so when the loop ends.
  EXPECT_THAT(joins_of(take + " setp.eq.u32 %p3, %r4, 0; @%p3 bra NEXT; sub.u32 %r3, %r3, 1;\nNEXT:"),
              testing::IsEmpty());
}

TEST(LaneJoins, WhatAnAtomicReturnsMayDecideAboutTheRest) {
  const auto joins = joins_of(
      "atom.shared.add.u32 %r4, [bins], 1; setp.eq.u32 %p3, %r4, 0; @%p3 bra NEXT;"
      " st.global.u32 [%rd1+4], %r4;\nNEXT:");
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_EQ(joins[0].from, 2u);
}

TEST(LoneLoops, FromInFrontOfTheLoopToBehindIt) {
  // 0 ld.param, 1 mov, 2 and; 3 add, 4 sub, 5 setp, 6 bra; 7 st, 8 ret
  EXPECT_EQ(lone_loop_of("add.u32 %r4, %r4, %r3;"), std::pair(1u, (LaneJoin{2, 7})));
  // Lanes may go around it: 3 setp, 4 bra; 5 mov; 6 add, 7 sub, 8 setp, 9 bra; 10 st
  EXPECT_EQ(
      lone_loop_of("add.u32 %r4, %r4, %r3;", "setp.eq.u32 %p1, %r3, 5; @%p1 bra BEHIND; mov.u32 %r4, 0;"),
      std::pair(2u, (LaneJoin{4, 10})));
}

// A second loop begins where the first ends: behind it is behind both.
TEST(LoneLoops, TheHeadOfTheNextLoopIsNotBehindTheLoop) {
  // 7 st, 8 add, 9 setp, 10 bra to 7; 11 st, 12 ret
  const std::string next =
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, %r1; @%p4 bra BEHIND; st.global.u32 [%rd1+4], %r5;";
  EXPECT_EQ(lone_loop_of("add.u32 %r4, %r4, %r3;", "", next), std::pair(1u, (LaneJoin{2, 11})));
  const std::vector<LaneJoin> expected{{2, 11}};
  EXPECT_EQ(joins_of("atom.shared.add.u32 %r4, [bins], 1;", next), expected);
}

TEST(LoneLoops, NoneWhereLanesMayComeApartOrWait) {
  EXPECT_FALSE(lone_loop_of("atom.shared.add.u32 %r4, [bins], 1;"));
  EXPECT_FALSE(lone_loop_of("red.global.add.u32 [%rd1], 1;"));
  EXPECT_FALSE(lone_loop_of("bar.warp.sync -1;"));
  EXPECT_FALSE(lone_loop_of("setp.eq.u32 %p3, %r3, 2; @%p3 bra NEXT; add.u32 %r4, %r4, 1;\nNEXT:"));
  // Lanes come from two places.
  EXPECT_FALSE(
      lone_loop_of("add.u32 %r4, %r4, 1;", "setp.eq.u32 %p1, %r3, 5; @%p1 bra LOOP; mov.u32 %r4, 0;"));
}

}  // namespace
}  // namespace warplens::gpu
