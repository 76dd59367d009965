// What did the hardware count? Its own counters of this launch beside what Warplens counted of the same one,
// in the order of the way of the data: global, local and shared memory, caches, execution. Counts of both
// kinds say whether they are equal; rates of hits and of use are bars.
//
// Where rows leave room, the bytes are drawn from the lanes to DRAM. Small panes lose, in this order: those,
// the sentence, the captions, the rows that tell least.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/analysis/known_counts.h"
#include "engine/base/typography.h"
#include "visual/hardware.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using Kind = CounterLine::Kind;
using Part = CounterLine::Part;

constexpr float kRoomForBytes = 220;
constexpr float kRow = 24, kTallestRow = 52, kPartCaption = 24, kLeastColumn = 400, kRoomyColumn = 700;

std::string number_text(Kind kind, double value) {
  switch (kind) {
    case Kind::Percent:
      return fmt::format("{:.1f} %", value);
    case Kind::Bytes:
      return bytes_text(static_cast<std::uint64_t>(std::max(0.0, value)));
    case Kind::Count:
      break;
  }
  return group_digits(static_cast<std::uint64_t>(std::max(0.0, value)));
}

class CountersView {
 public:
  CountersView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.counters || input_.counters->lines.empty()) return empty();
    lines_ = input_.counters->lines;
    if (input_.report) known_ = analysis::known_counts(*input_.report);
    for (const CounterLine& line : lines_) {
      if (!line.counted) continue;
      ++compared_;
      if (!line.agrees()) ++different_;
    }
    Rect rest = header();
    say_other_device(draft_, rest, input_, input_.counters->on);
    const std::string why = reason();
    const float height = draft_.sentence_height(why, rest.width, 3);
    if (height > 0 && rest.height - height > 200) draft_.sentence("why", take_bottom(rest, height, 12), why);
    place(rest);
    return draft_.finish(why.empty() ? answer() : why);
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.counters.title")});
    const HardwareCounters* c = input_.counters;
    const std::string advice =
        c && !c->missing.empty() ? c->missing : draft_.say("view.counters.none_advice");
    draft_.empty(rest, draft_.say(c && c->coming ? "view.counters.coming" : "view.counters.none"), advice);
    return draft_.finish(draft_.say("view.counters.none"));
  }

  std::string answer() const {
    if (compared_ == 0) return draft_.say("view.counters.read", {{"n", value_of(lines_.size())}});
    if (different_ == 0) return draft_.say("view.counters.equal", {{"n", value_of(compared_)}});
    return draft_.say("view.counters.differ", {{"n", value_of(different_)}, {"all", value_of(compared_)}});
  }

  Rect header() {
    Heading heading{
        .title = draft_.say("view.counters.title"), .answer = answer(), .evidence = Evidence::Measured};
    heading.about_in_full = true;
    heading.about = input_.counters->note;
    heading.evidence_of = other_device(input_, input_.counters->on);
    heading.sub = draft_.say(compared_ == 0 ? "view.counters.alone" : "view.counters.against");
    heading.worse = different_ > 0 && !differs_by_load_alone();
    return draft_.header(heading);
  }

  const CounterLine* find(const char* key) const {
    const auto found =
        std::find_if(lines_.begin(), lines_.end(), [&](const CounterLine& l) { return l.key == key; });
    return found == lines_.end() ? nullptr : &*found;
  }

  // On a full GPU the counters of shared memory read some percent more than the addresses need; the same
  // launch alone on its SMs reads exactly as much.
  bool differs_by_load_alone() const {
    constexpr double kMost = 0.1;
    double wavefronts = 0;
    for (const CounterLine& line : lines_)
      if (line.part == Part::Shared) wavefronts = std::max(wavefronts, line.measured);
    return different_ > 0 && std::all_of(lines_.begin(), lines_.end(), [&](const CounterLine& line) {
             if (line.agrees()) return true;
             const double more = line.measured - line.counted.value_or(0);
             return line.part == Part::Shared && more > 0 && more <= kMost * wavefronts;
           });
  }

  std::string reason() const {
    const std::string memory = memory_reason();
    std::string out;
    if (differs_by_load_alone()) append_sentence(out, draft_.say("view.counters.by_load"));
    if (std::any_of(lines_.begin(), lines_.end(), is_beyond))
      append_sentence(out, draft_.say("view.counters.beyond"));
    append_sentence(out, memory);
    return out;
  }

  // Rates of launches of a few microseconds come out above 100 %: 148 % was read on an H200.
  static bool is_beyond(const CounterLine& line) { return line.kind == Kind::Percent && line.measured > 100; }

  // Where the loads were answered, from the nearest memory outwards.
  std::string memory_reason() const {
    const CounterLine* l1 = find("counter.l1_hit_rate");
    const CounterLine* l2 = find("counter.l2_hit_rate");
    const CounterLine* dram = find("counter.dram_read");
    const CounterLine* full = find("counter.achieved_occupancy");
    std::string out;
    if (l2 && dram && !is_beyond(*l2))
      out = draft_.say("view.counters.why_memory", {{"l1", number_text(Kind::Percent, l1 ? l1->measured : 0)},
                                                    {"l2", number_text(l2->kind, l2->measured)},
                                                    {"dram", number_text(dram->kind, dram->measured)}});
    // What is possible is modelled for the chosen device: of another one it says nothing.
    if (!other_device(input_, input_.counters->on).empty()) return out;
    if (!full || !input_.report || !(input_.report->occupancy.theoretical > 0)) return out;
    append_sentence(out, draft_.say("view.counters.why_occupancy",
                                    {{"achieved", number_text(full->kind, full->measured)},
                                     {"possible", percent_text(input_.report->occupancy.theoretical)}}));
    return out;
  }

  float needed(float row, bool captions) const {
    float height = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      height += row + (captions && (i == 0 || lines_[i].part != lines_[i - 1].part) ? kPartCaption : 0);
    return height;
  }

  // Columns wide enough for the profiler's names where there is room; more where that shows more rows; then
  // no captions; then only the rows that tell most.
  void place(Rect rest) {
    const int most = std::max(1, static_cast<int>((rest.width + 32) / (kLeastColumn + 32)));
    int columns = std::clamp(static_cast<int>((rest.width + 32) / (kRoomyColumn + 32)), 1, std::min(most, 2));
    bool captions = true;
    // A column holds whole rows; a part that is cut at its end has its caption again over the next one.
    const auto fits = [&](float row) {
      const float spare = (captions ? kPartCaption : 0) + row;
      return needed(row, captions) <= (rest.height - 22 - spare) * static_cast<float>(columns) + spare;
    };
    while (!fits(kRow) && columns < most) ++columns;
    if (!fits(kRow)) captions = false;
    std::size_t hidden = 0;
    while (!fits(kRow) && lines_.size() > 1) {
      const auto least =
          std::max_element(lines_.begin(), lines_.end(),
                           [](const CounterLine& a, const CounterLine& b) { return a.rank < b.rank; });
      lines_.erase(least);
      if (++hidden == 1) rest.height -= 18;
    }
    if (hidden > 0)
      draft_.text("more", {rest.x, rest.bottom() + 2, rest.width, 16},
                  draft_.say("view.counters.more", {{"n", value_of(hidden)}}), dim(kTiny));
    row_ = kRow;
    while (row_ + 1 <= kTallestRow && fits(row_ + 1)) row_ += 1;
    const float gap = 40, all = rest.width - gap * static_cast<float>(columns - 1);
    const float wide = all / static_cast<float>(columns);
    const float share = needed(row_, captions) / static_cast<float>(columns);
    std::size_t next = 0;
    lowest_ = rest.y;
    for (int column = 0; column < columns; ++column) {
      const Rect r{rest.x + (wide + gap) * static_cast<float>(column), rest.y, wide, rest.height};
      next = draw_column(r, next, captions, column + 1 == columns ? 1e9f : share, column);
    }
    take_top(rest, lowest_ - rest.y, 40);
    if (hidden == 0 && rest.height >= kRoomForBytes) bytes(rest);
  }

  // What lanes asked for, what their sectors hold, what DRAM moved: a bar each, all to one scale.
  void bytes(Rect r) {
    struct Step {
      const char* key;
      double bytes;
      Evidence evidence;
    };
    struct Way {
      const char* key;
      std::vector<Step> steps;
    };
    std::vector<Way> ways;
    double most = 0;
    const auto add = [&](const char* key, const char* sectors, const char* dram, std::uint64_t asked,
                         Evidence evidence) {
      std::vector<Step> steps;
      const CounterLine *visited = find(sectors), *moved = find(dram);
      if (!visited || !(visited->measured > 0)) return;
      if (asked > 0) steps.push_back({"view.counters.asked", static_cast<double>(asked), evidence});
      steps.push_back({"view.counters.in_sectors", visited->measured * 32, Evidence::Measured});
      if (moved) steps.push_back({"view.counters.in_dram", moved->measured, Evidence::Measured});
      for (const Step& step : steps) most = std::max(most, step.bytes);
      ways.push_back({key, std::move(steps)});
    };
    const auto* totals = compared_ > 0 && input_.report ? &input_.report->totals : nullptr;
    add("view.counters.way_in", "counter.global_load_sectors", "counter.dram_read",
        totals ? totals->global_load.bytes_requested : 0, warplens::counted(known_.of(known_.global_load)));
    add("view.counters.way_out", "counter.global_store_sectors", "counter.dram_write",
        totals ? totals->global_store.bytes_requested : 0, warplens::counted(known_.of(known_.global_store)));
    const float gap = 40, count = static_cast<float>(ways.size());
    const float wide = (r.width - gap * (count - 1)) / std::max(1.0f, count);
    const float tall = std::clamp((r.height - kPartCaption) / 3, 44.0f, 130.0f);
    for (const Way& way : ways) {
      Rect column = take_left(r, wide, gap);
      draft_.caption(way.key, take_top(column, 24), draft_.say(way.key));
      for (const Step& step : way.steps) {
        const std::string id = std::string(way.key) + "." + step.key;
        Rect place = take_top(column, tall, 0);
        const Rect words = take_top(place, 22, 4);
        draft_.text(id, words, draft_.say(step.key), {size_});
        const float badge = draft_.badge(id + ".evidence", {words.right(), words.y + 2}, step.evidence, {},
                                         words.width * 0.3f);
        draft_.text(id + ".bytes", {words.x, words.y, words.width - badge - 10, words.height},
                    bytes_text(static_cast<std::uint64_t>(step.bytes)),
                    {size_, Face::MonoBold, Ink::of(Role::Text), Align::Right});
        const Rect bar = take_top(place, std::clamp(tall - 60, 12.0f, 40.0f));
        draft_.box(id + ".ground", bar, Ink::of(Role::Raised), 3);
        const auto share = static_cast<float>(step.bytes / most);
        draft_.box(id + ".bar", {bar.x, bar.y, std::max(2.0f, bar.width * share), bar.height},
                   ink_of(step.evidence), 3);
      }
    }
  }

  // Draws rows until `goal` is reached, where a part ends if that is near; returns the next row.
  std::size_t draw_column(Rect r, std::size_t from, bool captions, float goal, int column) {
    if (from >= lines_.size()) return from;
    size_ = row_ >= 44 && r.width > 900 ? kHeading : kSmall;
    float each = size_ > kSmall ? 120.0f : r.width >= 360 ? 84.0f : 72.0f;
    for (const CounterLine& line : lines_)  // a number that is cut is another number
      each = std::max(
          each, draft_.width(number_text(line.kind, std::max(line.measured, line.counted.value_or(0))), size_,
                             Face::MonoBold) +
                    4);
    const Rect head = take_top(r, 18, 4);
    const Rect right = columns_of(head, each);
    draft_.badge(fmt::format("head.{}.measured", column), {right.x + each, head.y}, Evidence::Measured);
    if (compared_ > 0)
      draft_.badge(fmt::format("head.{}.counted", column), {right.x + 2 * each + 8, head.y},
                   warplens::counted(known_.all()), {}, each);
    float used = 0;
    std::size_t i = from;
    for (; i < lines_.size(); ++i) {
      const bool starts = i == from || lines_[i].part != lines_[i - 1].part;
      const float more = row_ + (captions && starts ? kPartCaption : 0);
      if (i > from && used >= goal - 1) break;
      if (r.height < more) break;
      if (captions && starts) {
        take_top(r, i == from ? 0.0f : 8.0f);
        draft_.caption(fmt::format("part.{}", i), take_top(r, i == from ? 24.0f : 16.0f),
                       draft_.say(part_key(lines_[i].part)));
        used += kPartCaption;
      }
      row(take_top(r, row_), lines_[i], each);
      used += row_;
    }
    lowest_ = std::max(lowest_, r.y);
    return i;
  }

  static Rect columns_of(const Rect& r, float each) {
    const float wide = 2 * each + 8 + 24;
    return {r.right() - wide, r.y, wide, r.height};
  }

  static const char* part_key(Part part) {
    constexpr const char* kKeys[] = {"view.counters.part_global", "view.counters.part_local",
                                     "view.counters.part_shared", "view.counters.part_caches",
                                     "view.counters.part_execution"};
    return kKeys[static_cast<int>(part)];
  }

  // What tells these names apart stands at their end ("op_ld.sum"): where room is short the middle goes.
  std::string metric_text(const std::string& metric, float room, float size) const {
    if (draft_.fits(metric, room, size, Face::Mono)) return metric;
    for (std::size_t kept = metric.size() - 1; kept >= 12; --kept) {
      const std::size_t head = kept * 2 / 5;
      std::string out = metric.substr(0, head) + "…" + metric.substr(metric.size() - (kept - head));
      if (draft_.fits(out, room, size, Face::Mono)) return out;
    }
    return metric;
  }

  void row(const Rect& r, const CounterLine& line, float each) {
    const std::string& id = line.metric;
    const Rect right = columns_of(r, each);
    const float top = r.y + (r.height - 20) / 2;
    draft_.line(id + ".rule", {{r.x, r.bottom() - 0.5f}, {r.right(), r.bottom() - 0.5f}},
                Ink::of(Role::Line, 0.6f), 1);
    Rect words{r.x, top, right.x - r.x - 8, 20};
    const std::string name = draft_.say(line.key);
    const Rect spoken = take_left(
        words,
        std::min(words.width, std::max(size_ > kSmall ? 320.0f : 220.0f, draft_.width(name, size_) + 2)), 16);
    draft_.text(id + ".name", spoken, name, {size_}).tooltip = name + "\n" + line.metric;
    if (words.width > 120) {
      const float size = size_ > kSmall ? kSmall : kTiny;
      draft_
          .text(id + ".metric", words, metric_text(line.metric, words.width, size),
                {size, Face::Mono, Ink::of(Role::Dim), Align::Left})
          .tooltip = line.metric;
    }
    draft_.text(id + ".measured", {right.x, top, each, 20}, number_text(line.kind, line.measured),
                {size_, Face::MonoBold, Ink::of(is_beyond(line) ? Role::Warn : Role::Text), Align::Right});
    if (line.kind == Kind::Percent) {
      const Rect bar{right.x + each + 8, top + 7, each + 24, 6};
      draft_.box(id + ".ground", bar, Ink::of(Role::Raised), 3);
      const auto part = static_cast<float>(std::clamp(line.measured / 100, 0.0, 1.0));
      if (part > 0)
        draft_.box(id + ".bar", {bar.x, bar.y, bar.width * part, bar.height}, Ink::of(Role::Accent), 3);
    } else if (line.counted) {
      counted(id, {right.x + each + 8, top, each, 20}, line);
    }
  }

  void counted(const std::string& id, const Rect& r, const CounterLine& line) {
    const bool differs = !line.agrees();
    draft_.text(id + ".counted", r, number_text(line.kind, *line.counted),
                {size_, Face::Mono, Ink::of(differs ? Role::Warn : Role::Text), Align::Right});
    Shape& mark =
        draft_.text(id + ".mark", {r.right() + 4, r.y, 20, 20}, differs ? "≠" : "=",
                    {size_, Face::MonoBold, Ink::of(differs ? Role::Warn : Role::Good), Align::Centre});
    const double off = std::abs(line.measured - *line.counted);
    mark.tooltip = differs ? draft_.say("view.counters.off_by", {{"n", number_text(line.kind, off)}})
                           : draft_.say("view.counters.same");
  }

  Draft draft_;
  const ViewInput& input_;
  std::vector<CounterLine> lines_;
  int compared_ = 0, different_ = 0;
  analysis::KnownCounts known_;
  float row_ = kRow, size_ = kSmall;
  float lowest_ = 0;  // where the longest column ends
};

}  // namespace

Scene counters_view(const ViewContext& context, const ViewInput& input) {
  return CountersView(context, input).run();
}

bool counters_applies(const ViewInput& input) {
  return input.counters && !input.counters->lines.empty();
}

}  // namespace warplens::visual
