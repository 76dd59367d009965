#include "visual/program_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/time_text.h"
#include "visual/layout.h"
#include "visual/plot.h"

namespace warplens::visual {
namespace {

constexpr float kLegend = 20, kAxis = 16, kStreamRow = 34, kWaits = 16, kNarrowest = 1.5f;
constexpr std::size_t kMostBars = 6000;

// Far from each other on the ramp, so that neighbours in the table are told apart, also in grey.
Ink ink_of_kernel(std::size_t place) {
  static constexpr int kLanes[] = {4, 24, 13, 30, 18};
  return place < kTimelineKernels ? Ink::of_lane(kLanes[place]) : Ink::of(Role::Dim, 0.55f);
}

std::string time_of(double seconds) {
  return seconds == 0 ? "0" : time_text(1000 * seconds);
}

// Spans that the eye cannot tell apart.
struct Bar {
  float x = 0, right = 0;
  const ProgramTimeline::Span* first = nullptr;
  std::uint64_t more = 0;
};

class Timeline {
 public:
  Timeline(const ViewContext& context, const ProgramTimeline& line) : draft_(context), line_(line) {}

  Scene draw() {
    Rect rest{kMargin, 0, draft_.context().size.width - 2 * kMargin, draft_.context().size.height};
    legend(take_top(rest, kLegend, 4));
    const Rect axis = take_bottom(rest, kAxis);
    float names = 60;
    for (const std::string& name : line_.rows) names = std::max(names, draft_.width(name, kTiny) + 12);
    names = std::min(names, rest.width * 0.25f);
    field_ = {rest.x + names, rest.y, rest.width - names, rest.height};
    const bool waits = has_waits();
    const auto streams = static_cast<float>(line_.rows.size() - (waits ? 1 : 0));
    const float room = rest.height - (waits ? kWaits : 0);
    const float pitch = std::clamp(room / std::max(1.0f, streams), 8.0f, kStreamRow + 10);
    for (std::size_t row = 0; row < line_.rows.size(); ++row) {
      const bool wait = waits && row + 1 == line_.rows.size();
      const Rect strip = take_top(rest, wait ? kWaits : pitch);
      if (strip.height < 6) break;
      if (strip.height >= 13)
        draft_.text(fmt::format("row.{}", row), {strip.x, strip.y, names - 6, strip.height}, line_.rows[row],
                    dim(kTiny));
      draft_.box(fmt::format("row.{}.ground", row), {field_.x, strip.y + 1, field_.width, strip.height - 3},
                 Ink::of(Role::Panel), 3);
      draw_row(static_cast<std::uint32_t>(row), strip);
    }
    ticks(axis);
    return draft_.finish(draft_.say("program.timeline.title"));
  }

 private:
  bool has_waits() const {
    return std::ranges::any_of(line_.spans,
                               [](const auto& s) { return s.work == ProgramTimeline::Work::Wait; });
  }
  float x_of(double time) const {
    return field_.x + field_.width * static_cast<float>((time - line_.begin) / (line_.end - line_.begin));
  }

  void draw_row(std::uint32_t row, const Rect& strip) {
    using Work = ProgramTimeline::Work;
    const float half = (strip.height - 3) * 0.62f;
    draw_bars(row, Work::Copy, {0, strip.y + 1 + half + 1, 0, strip.height - 3 - half - 1});
    draw_bars(row, Work::Wait, {0, strip.y + 3, 0, strip.height - 7});
    draw_bars(row, Work::Launch, {0, strip.y + 1, 0, half});
  }

  void draw_bars(std::uint32_t row, ProgramTimeline::Work work, const Rect& at) {
    Bar bar;
    for (const ProgramTimeline::Span& span : line_.spans) {
      if (span.row != row || span.work != work || span.end < line_.begin || span.begin > line_.end) continue;
      const float x = std::max(field_.x, x_of(span.begin));
      const float right = std::min(field_.right(), std::max(x + kNarrowest, x_of(span.end)));
      const bool same = bar.first != nullptr && bar.first->colour == span.colour &&
                        bar.first->faulted == span.faulted && span.launch != line_.marked &&
                        bar.first->launch != line_.marked;
      if (same && x - bar.right < 0.5f && right - x <= 2 * kNarrowest) {
        bar.right = std::max(bar.right, right);
        ++bar.more;
        continue;
      }
      draw_bar(bar, at);
      bar = {x, right, &span, 0};
    }
    draw_bar(bar, at);
  }

  void draw_bar(const Bar& bar, const Rect& at) {
    if (bar.first == nullptr || bars_ >= kMostBars) return;
    const ProgramTimeline::Span& span = *bar.first;
    using Work = ProgramTimeline::Work;
    const Ink ink = span.faulted              ? Ink::of(Role::Bad)
                    : span.work == Work::Copy ? Ink::of(Role::Dim)
                    : span.work == Work::Wait ? Ink::of(Role::Line)
                                              : ink_of_kernel(span.colour);
    const Rect box{bar.x, at.y, std::max(kNarrowest, bar.right - bar.x), at.height};
    Shape& shape = draft_.box(fmt::format("bar.{}", bars_++), box, ink, box.width > 6 ? 2.0f : 0.0f);
    if (line_.tell) shape.tooltip = line_.tell(span, bar.more);
    if (span.work != Work::Launch) return;
    shape.target.step = static_cast<std::size_t>(span.launch);
    if (span.launch == line_.marked) {
      shape.stroke = Ink::of(Role::Text);
      shape.stroke_width = 1.5f;
    }
  }

  void legend(const Rect& r) {
    float x = r.x;
    const auto entry = [&](const std::string& id, const Ink& ink, const std::string& words, float most) {
      const std::string shown = draft_.shorten(words, most, kTiny, Face::Sans);
      const float width = draft_.width(shown, kTiny);
      if (x + width + 16 > r.right()) return;
      draft_.box(id, {x, r.y + 6, 9, 9}, ink, 2);
      Shape& text = draft_.text(id + ".name", {x + 14, r.y, width + 2, r.height}, shown, dim(kTiny));
      if (shown != words) text.tooltip = words;
      x += width + 32;
    };
    for (std::size_t i = 0; i < line_.kernels.size(); ++i)
      entry(fmt::format("legend.{}", i), ink_of_kernel(i), line_.kernels[i], 150);
    if (line_.more_kernels)
      entry("legend.more", ink_of_kernel(kTimelineKernels), draft_.say("program.timeline.others"), 150);
    entry("legend.copies", Ink::of(Role::Dim), draft_.say("program.timeline.copies"), 150);
  }

  void ticks(const Rect& r) {
    const int step = field_.width < 420 ? 2 : 1;
    for (int i = 0; i <= 4; i += step) {
      const double time = line_.begin + (line_.end - line_.begin) * i / 4;
      const float x = x_of(time);
      const Align align = i == 0 ? Align::Left : i == 4 ? Align::Right : Align::Centre;
      const float left = i == 0 ? x : i == 4 ? x - 80 : x - 40;
      draft_.text(fmt::format("tick.{}", i), {left, r.y, 80, r.height}, time_of(time), dim(kTiny, align));
    }
  }

  Draft draft_;
  const ProgramTimeline& line_;
  Rect field_;
  std::size_t bars_ = 0;
};

}  // namespace

float program_timeline_height(std::size_t rows, bool waits) {
  return kLegend + 4 + kAxis + kStreamRow * static_cast<float>(rows - (waits ? 1 : 0)) + (waits ? kWaits : 0);
}

Scene program_timeline(const ViewContext& context, const ProgramTimeline& line) {
  return Timeline(context, line).draw();
}

}  // namespace warplens::visual
