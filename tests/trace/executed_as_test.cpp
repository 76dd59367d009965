#include "engine/trace/executed_as.h"

#include <gtest/gtest.h>

namespace warplens::trace {
namespace {

Site load_of(int bytes) {
  Site site;
  site.index = 3;
  site.bytes = bytes;
  site.space = Space::Shared;
  return site;
}

TEST(ExecutedAs, ASiteLeadsUnlessAnotherCoversIt) {
  Site site = load_of(4);
  EXPECT_FALSE(is_merged(site));  // nobody said that it has a leader
  site.leader = site.index;
  EXPECT_FALSE(is_merged(site));
  EXPECT_TRUE(is_executed(site));
  site.leader = 1;
  EXPECT_TRUE(is_merged(site));
  EXPECT_FALSE(is_executed(site));
  EXPECT_EQ(executed_as(site), ExecutedAs::Merged);
}

TEST(ExecutedAs, WidthsAreComparedWithThePtx) {
  Site site = load_of(8);
  EXPECT_EQ(name(executed_as(site)), "access");  // no width was worked out
  site.executed_bytes = 8;
  EXPECT_EQ(name(executed_as(site)), "access");
  site.executed_bytes = 16;
  EXPECT_EQ(name(executed_as(site)), "widened");
  site.executed_bytes = 4;
  EXPECT_EQ(name(executed_as(site)), "narrowed");
}

TEST(ExecutedAs, TheWidthIsThatOfThePtxUnlessThereIsAnother) {
  Site site = load_of(8);
  EXPECT_EQ(executed_bytes_of(site), 8);
  EXPECT_FALSE(is_widened(site));
  site.executed_bytes = 4;
  EXPECT_EQ(executed_bytes_of(site), 4);
  EXPECT_FALSE(is_widened(site));
  site.executed_bytes = 16;
  EXPECT_EQ(executed_bytes_of(site), 16);
  EXPECT_TRUE(is_joined_load(site));
  site.kind = SiteKind::Store;
  EXPECT_TRUE(is_widened(site));
  EXPECT_FALSE(is_joined_load(site));
}

TEST(ExecutedAs, WhatIsNoAccessOfTheMachine) {
  Site site = load_of(4);
  site.in_registers = true;
  EXPECT_FALSE(is_executed(site));
  EXPECT_EQ(name(executed_as(site)), "register");
  site.space = Space::Constant;
  EXPECT_EQ(name(executed_as(site)), "operand");
  site.kind = SiteKind::Branch;
  EXPECT_EQ(name(executed_as(site)), "branch");
  site.leaves = true;
  EXPECT_EQ(name(executed_as(site)), "no_branch");
  site.kind = SiteKind::Barrier;
  EXPECT_EQ(name(executed_as(site)), "barrier");
}

TEST(ExecutedAs, AtomicsByTheirForm) {
  Site site = load_of(4);
  site.kind = SiteKind::Atomic;
  EXPECT_EQ(name(executed_as(site)), "access");
  site.reduction = true;
  EXPECT_EQ(name(executed_as(site)), "reduction");
  site.atomic_form = ptx::AtomicForm::CountLanes;
  EXPECT_EQ(name(executed_as(site)), "counted_lanes");
  site.atomic_form = ptx::AtomicForm::OneLaneIfFull;
  EXPECT_EQ(name(executed_as(site)), "one_lane");
  site.floating_shared_atomic = true;
  EXPECT_EQ(name(executed_as(site)), "loop");
}

}  // namespace
}  // namespace warplens::trace
