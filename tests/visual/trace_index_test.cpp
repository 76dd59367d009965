// The index answers what walking the trace would answer.
#include "visual/trace_index.h"

#include <gtest/gtest.h>

#include "tests/visual/fixtures.h"

namespace warplens::visual {
namespace {

using trace::Space;

TEST(TraceIndex, FindsTheNearestStepThatAWalkFinds) {
  for (const Fixture& f : all_fixtures()) {
    const TraceIndex index(f.trace);
    for (const std::vector<Space>& spaces :
         {std::vector{Space::Global}, std::vector{Space::Shared}, std::vector{Space::Global, Space::Shared},
          std::vector{Space::Constant}}) {
      const std::size_t stride = f.trace.size() > 5000 ? 997 : 1;
      for (std::size_t step = 0; step < f.trace.size() + 2; step += stride)
        ASSERT_EQ(index.nearest(step, spaces), nearest_step(f.trace, step, spaces)) << f.name << " " << step;
    }
  }
}

TEST(TraceIndex, StepsOfAWarpAreItsOwnInOrder) {
  const Fixture f = huge();
  const TraceIndex index(f.trace);
  std::size_t all = 0;
  for (const trace::BlockSteps& block : f.trace.blocks())
    for (const std::uint32_t warp : index.warps_of(block.block)) {
      std::uint32_t last = 0;
      for (const std::uint32_t step : index.steps_of(block.block, warp)) {
        ASSERT_TRUE(all == 0 || step > last || step == index.steps_of(block.block, warp).front());
        ASSERT_EQ(f.trace.steps()[step].warp, warp);
        ASSERT_EQ(f.trace.block_of(step), block.block);
        last = step;
        ++all;
      }
    }
  EXPECT_EQ(all, f.trace.size());
  EXPECT_TRUE(index.steps_of(99999, 0).empty());
  EXPECT_TRUE(index.steps_of(0, 99999).empty());
}

TEST(TraceIndex, TimeOfAWarpIsWhatTheAnalysisSays) {
  for (const Fixture& f : {divergent(), huge()}) {
    const TraceIndex index(f.trace);
    const std::uint32_t warp = f.name == "huge" ? 5 : 0;
    const auto wanted = analysis::active_lanes_over_time(f.trace, 0, warp);
    const auto time = index.time_of(0, warp);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->lasting(), wanted.size());
    EXPECT_EQ(time->begin(), wanted.front().begin);
    EXPECT_EQ(time->end(), wanted.back().end);
    std::uint64_t active = 0, waiting = 0;
    for (const auto& span : wanted) {
      const auto mine = time->span(time->span_at(span.begin));
      EXPECT_EQ(mine.begin, span.begin);
      EXPECT_EQ(mine.end, span.end);
      EXPECT_EQ(mine.active, span.active);
      EXPECT_EQ(mine.waiting, span.waiting);
      EXPECT_EQ(mine.line, span.line);
      active += (span.end - span.begin) * (span.active >> 7 & 1u);
      waiting += (span.end - span.begin) * (span.waiting >> 7 & 1u);
    }
    const LaneTime sum = time->between(time->begin(), time->end());
    EXPECT_EQ(sum.active[7], active);
    EXPECT_EQ(sum.waiting[7], waiting);
    // Any two halves make the whole.
    const std::uint64_t middle = time->begin() + (time->end() - time->begin()) / 3;
    LaneTime halves = time->between(time->begin(), middle);
    halves += time->between(middle, time->end());
    EXPECT_EQ(halves.active, sum.active);
    EXPECT_EQ(halves.waiting, sum.waiting);
  }
}

TEST(TraceIndex, AnEmptyTraceHasNothing) {
  const trace::Trace empty;
  const TraceIndex index(empty);
  EXPECT_EQ(index.nearest(0, std::vector{Space::Global}), 0u);
  EXPECT_TRUE(index.steps_of(0, 0).empty());
  EXPECT_FALSE(index.time_of(0, 0));
}

TEST(TraceIndex, ViewsDrawTheSameWithAndWithoutIt) {
  const Catalogue catalogue = Catalogue::load("en").value();
  struct Fixed : TextMeasure {
    Size measure(std::string_view text, Face, float size) const override {
      return {static_cast<float>(text.size()) * size * 0.5f, size};
    }
  } measure;
  const ViewContext context{{1280, 720}, catalogue, measure};
  for (const Fixture& f : {strided_copy(2), divergent(), huge()}) {
    const TraceIndex index(f.trace);
    for (const View& view : all_views()) {
      ViewInput input = f.input();
      const std::string without = to_text(view.layout(context, input));
      input.index = &index;
      EXPECT_EQ(to_text(view.layout(context, input)), without) << view.id << " over " << f.name;
    }
  }
}

}  // namespace
}  // namespace warplens::visual
