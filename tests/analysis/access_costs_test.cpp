// What a number is of: one access, never the average of several.
#include "engine/analysis/access_costs.h"

#include <gmock/gmock.h>

#include "engine/analysis/cost_marks.h"
#include "tests/analysis/trace_builder.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

Report counted_report(const TraceBuilder& b) {
  Report report;
  TotalsCounter counter(b.sites());
  b.feed(counter);
  report.totals = counter.totals();
  report.sites = b.sites();
  return report;
}

// out[i] = in[i * stride], both on line 10.
Report strided(std::uint64_t stride) {
  TraceBuilder b;
  trace::Site& load = b.site(SiteKind::Load, Space::Global, 4, "out[i] = in[i * stride];");
  load.op = "ld.global.f32";
  b.access([&](auto lane) { return 4096 + 4 * stride * lane; });
  trace::Site& store = b.site(SiteKind::Store, Space::Global, 4, "out[i] = in[i * stride];");
  store.line = 10;
  store.op = "st.global.f32";
  b.access([](auto lane) { return 65536 + 4 * lane; });
  return counted_report(b);
}

TEST(AccessCosts, LoadAndStoreOfOneLineAreApart) {
  const std::vector<AccessCost> costs = access_costs(strided(8));
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].kind, AccessCost::Kind::Load);
  EXPECT_DOUBLE_EQ(costs[0].per_request(), 32);
  EXPECT_DOUBLE_EQ(costs[0].ideal(), 4);
  EXPECT_EQ(costs[1].kind, AccessCost::Kind::Store);
  EXPECT_DOUBLE_EQ(costs[1].per_request(), 4);
}

TEST(AccessCosts, BesideALineStandBothWhereTheyDiffer) {
  const std::vector<AccessCost> apart = access_costs(strided(8)), alike = access_costs(strided(1));
  const auto two = costs_apart(apart, Memory::Global);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_DOUBLE_EQ(two[0]->per_request(), 32);
  EXPECT_TRUE(is_worse(*two[0]));
  EXPECT_DOUBLE_EQ(two[1]->per_request(), 4);
  EXPECT_FALSE(is_worse(*two[1]));
  ASSERT_EQ(costs_apart(alike, Memory::Global).size(), 1u);
  EXPECT_DOUBLE_EQ(costs_apart(alike, Memory::Global)[0]->per_request(), 4);
  EXPECT_TRUE(costs_apart(apart, Memory::Shared).empty()) << "it touches no shared memory";
}

TEST(AccessCosts, TheFocusIsWhatWastesMostElseWhatTheKernelNames) {
  Report report = strided(2);
  ASSERT_TRUE(focus_of(report).first());
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 8) << "not 6.0, the average with the store";
  report.about = {{"out[i]=in[ i*stride ]", "store", ""}};
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 4) << "blanks do not matter";
  report.about = {{"no such text", "load", ""}, {"in[i * stride]", "ld.global", ""}};
  EXPECT_EQ(focus_of(report).first()->kind, AccessCost::Kind::Load) << "the first that is there";
  report.about = {{"no such text", "", ""}};
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 8) << "an edited line falls back to the worst";
}

TEST(AccessCosts, WhatFillsSharedMemoryIsNotAveragedIn) {
  TraceBuilder b;
  b.site(SiteKind::Store, Space::Shared, 4, "words[i] = in[i];");
  for (std::uint64_t k = 0; k < 34; ++k) b.access([&](auto lane) { return 128 * k + 4 * lane; });
  b.site(SiteKind::Load, Space::Shared, 4, "sum += words[lane * 16];");
  b.access([](auto lane) { return 64 * lane; });
  Report report = counted_report(b);
  EXPECT_EQ(focus_of(report).main, Memory::Shared);
  EXPECT_DOUBLE_EQ(focus_of(report).shared->per_request(), 16);
  report.about = {{"words[", "load", "global"}};
  EXPECT_EQ(focus_of(report).shared->kind, AccessCost::Kind::Load) << "nothing in global memory is meant";
}

// A kernel that reads words of constant memory one after another is about them, and not about the load that
// brings the indices.
TEST(AccessCosts, ConstantMemoryIsAMemoryOfItsOwn) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4, "int at = index[i];");
  b.access([](auto lane) { return 65536 + 4 * lane; });
  b.site(SiteKind::Load, Space::Constant, 4, "sum += table[at];");
  b.access([](auto lane) { return 4 * (lane % 5); });
  Report report = counted_report(b);
  ASSERT_TRUE(focus_of(report).constant);
  EXPECT_EQ(focus_of(report).main, Memory::Constant);
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 5);
  EXPECT_DOUBLE_EQ(focus_of(report).first()->ideal(), 1);
  EXPECT_EQ(focus_of(report).first()->waste(), 4u);
  report.about = {{"table[at]", "load", "global"}, {"index[i]", "load", ""}};
  EXPECT_EQ(focus_of(report).main, Memory::Global) << "no table in global memory: the next that is named";
  EXPECT_TRUE(focus_of(report).constant) << "the others are on demand";
}

// Copies of one access by unrolling are one; two loads of one line that cost differently are two.
TEST(AccessCosts, CopiesOfOneAccessAreOne) {
  TraceBuilder b;
  for (const std::uint64_t stride : {1u, 1u, 8u}) {
    b.site(SiteKind::Load, Space::Global, 4, "sum += table[index[i]];").line = 5;
    b.access([&](auto lane) { return 4096 + 4 * stride * lane; });
  }
  const Report report = counted_report(b);
  const std::vector<AccessCost> costs = access_costs(report);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].executions, 2u);
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 32) << "the one that is scattered";
}

TEST(AccessCosts, NothingHasNoFocus) {
  const Focus focus = focus_of(Report());
  EXPECT_EQ(focus.first(), nullptr);
  EXPECT_FALSE(focus.global || focus.shared);
}

}  // namespace
}  // namespace warplens::analysis
