// The index answers what walking the trace would answer.
#include "visual/trace_index.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// The line of the first site at or after an instruction, in layout order: what a person sees running there.
// Sites of the kernel come before those of called functions, whose instructions count from zero again.
int line_of(const std::vector<trace::Site>& sites, std::uint32_t instruction) {
  int line = 0;
  for (const trace::Site& site : sites) {
    if (site.function != sites.front().function) break;
    if (site.line != 0) line = site.line;
    if (site.instruction >= instruction && line != 0) break;
  }
  return line;
}

// By a walk along the trace.
std::vector<analysis::ActiveSpan> active_lanes_over_time(const trace::Trace& trace, std::uint64_t block,
                                                         std::uint32_t warp) {
  std::vector<analysis::ActiveSpan> out;
  const auto found = std::find_if(trace.blocks().begin(), trace.blocks().end(),
                                  [&](const trace::BlockSteps& steps) { return steps.block == block; });
  if (found == trace.blocks().end()) return out;
  const LaneMask launched = trace::launched_lanes(trace.launch, warp);
  std::uint64_t steps_since = 0;  // of this warp since its last change of lanes
  for (std::size_t step = found->first; step < found->last; ++step) {
    if (trace.steps()[step].warp != warp) continue;
    if (trace.steps()[step].kind != trace::StepKind::Mask) {
      ++steps_since;
      continue;
    }
    const trace::MaskView mask = trace.mask(step);
    if (!out.empty()) out.back().end = std::max(out.back().begin, mask.warp_instruction);
    steps_since = 0;
    analysis::ActiveSpan span;
    span.begin = span.end = mask.warp_instruction;
    span.active = mask.active;
    span.exited = mask.exited;
    span.waiting = launched & ~mask.active & ~mask.exited;
    span.instruction = mask.instruction;
    span.line = line_of(trace.sites, mask.instruction);
    out.push_back(span);
  }
  // The warp's last change says nothing about how long it went on, unless it says that no lane is left: what
  // was recorded after it is the least that ran.
  if (!out.empty() && out.back().active != 0)
    out.back().end = out.back().begin + std::max<std::uint64_t>(1, steps_since);
  std::erase_if(out, [](const analysis::ActiveSpan& span) { return span.begin == span.end; });
  return out;
}

TEST(TraceIndex, TimeOfAWarpIsWhatAWalkFinds) {
  for (const Fixture& f : {divergent(), huge()}) {
    const TraceIndex index(f.trace);
    const std::uint32_t warp = f.name == "huge" ? 5 : 0;
    const auto wanted = active_lanes_over_time(f.trace, 0, warp);
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
