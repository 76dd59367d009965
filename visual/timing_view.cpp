// How does time follow? Measured runs over one changing value, with their spread as a band, and what was
// counted on the same axis: where the two part, something else than the count decides. Below, the single runs
// of the present value: in order and as a histogram, or what a recording has kept of them.
//
// A choice has no curve: its variants are bars with names (choice_bars.h).
//
// Small panes lose, in this order: the runs, the warnings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/typography.h"
#include "visual/choice_bars.h"
#include "visual/layout.h"
#include "visual/other_device.h"
#include "visual/plot.h"
#include "visual/run_times.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

class TimingView {
 public:
  TimingView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {
    if (input.sweep) sweep_ = readable(*input.sweep);
  }

  Scene run() {
    if (!sweep_ || (!has_points() && !has_runs())) return empty();
    const Sweep& sweep = *sweep_;
    if (has_runs()) runs_ = sweep.runs.empty() ? summarise(*sweep.spread) : summarise(sweep.runs);
    Rect rest = header(sweep);
    if (timed_) say_other_device(draft_, rest, input_, sweep.on);
    warnings(rest, sweep);
    if (!has_points()) {
      single(rest, sweep);
      return draft_.finish(runs_text());
    }
    if (has_runs() && rest.height > 330) {
      const float share = sweep.runs.empty() ? 64.0f : std::clamp(rest.height * 0.34f, 120.0f, 420.0f);
      single(take_bottom(rest, share, 16), sweep);
    }
    if (of_choices()) {
      draw_choice_bars(draft_, rest, sweep, other_device(input_, sweep.on));
    } else {
      legend(rest, sweep);
      curves(rest, sweep);
    }
    return draft_.finish(transcript(sweep) + (has_runs() ? " " + runs_text() : ""));
  }

 private:
  // So many times the least: on an even axis all but the end of a curve would lie on the ground.
  static constexpr double kDecades = 30;

  // Times come in milliseconds; below one their axis and legend are in microseconds, and where
  // they begin far below.
  static Sweep readable(Sweep sweep) {
    // Over numbers it is one more curve on the scale of the times, as far as these go.
    if (sweep.library && sweep.x_names.empty() && !sweep.series.empty() &&
        sweep.series.front().unit == "ms") {
      const std::vector<SweepPoint>& times = sweep.series.front().points;
      SweepSeries line = *sweep.library;
      std::erase_if(line.points, [&](const SweepPoint& p) {
        return times.empty() || p.x < times.front().x || p.x > times.back().x;
      });
      if (!line.points.empty()) sweep.series.push_back(std::move(line));
    }
    double most = 0, least = 1e300;
    for (const SweepSeries& s : sweep.series)
      for (const SweepPoint& p : s.points)
        if (s.unit == "ms") most = std::max({most, p.y, p.high}), least = std::min(least, p.y);
    const bool from_far_below = least < 0.01 && most >= kDecades * least && !sweep.series.empty() &&
                                doubling(sweep.series.front().points);
    if (most == 0 || (most >= 1 && !from_far_below)) return sweep;
    for (SweepSeries& s : sweep.series) {
      if (s.unit != "ms") continue;
      s.unit = "µs";
      for (SweepPoint& p : s.points) p.y *= 1000, p.low *= 1000, p.high *= 1000;
    }
    return sweep;
  }

  bool has_points() const {
    return std::any_of(sweep_->series.begin(), sweep_->series.end(),
                       [](const SweepSeries& s) { return !s.points.empty(); });
  }
  bool of_choices() const { return !sweep_->x_names.empty(); }
  bool has_runs() const { return !sweep_->runs.empty() || sweep_->spread.has_value(); }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.timing.title_plain")});
    draft_.empty(rest, draft_.say("view.timing.none"), draft_.say("view.timing.none_advice"));
    return draft_.finish(draft_.say("view.timing.none"));
  }

  void single(const Rect& r, const Sweep& sweep) {
    if (!sweep.runs.empty())
      draw_runs(draft_, r, sweep.runs);
    else
      draw_spread(draft_, r, *sweep.spread);
  }

  void warnings(Rect& rest, const Sweep& sweep) {
    std::string all;
    for (const std::string& w : sweep.warnings) append_sentence(all, w);
    const float height = draft_.sentence_height(all, rest.width, 3);
    if (height > 0 && rest.height - height > 130)
      draft_.sentence("warning", take_bottom(rest, height, 12), all);
  }

  static const SweepPoint* nearest(const SweepSeries& series, double x) {
    const SweepPoint* best = nullptr;
    for (const SweepPoint& p : series.points)
      if (!best || std::abs(p.x - x) < std::abs(best->x - x)) best = &p;
    return best;
  }

  // Times are read in the unit that leaves a short number.
  static std::string with_unit(double value, const std::string& unit) {
    if (unit == "ms") return time_text(value);
    return plain_number(value) + (unit.empty() ? "" : " " + unit);
  }
  std::string x_text(double x) const {
    if (of_choices() && x >= 0 && x < static_cast<double>(sweep_->x_names.size()))
      return sweep_->x_names[static_cast<std::size_t>(x)];
    return sweep_->log_x && x >= 1024 ? bytes_text(static_cast<std::uint64_t>(x)) : plain_number(x);
  }

  const SweepSeries* first_series() const {
    for (const SweepSeries& s : sweep_->series)
      if (!s.points.empty()) return &s;
    return nullptr;
  }

  Rect header(const Sweep& sweep) {
    const SweepSeries* first = first_series();
    // Without a clock in it the curve is not about time.
    timed_ = has_runs() || std::any_of(sweep.series.begin(), sweep.series.end(),
                                       [](const SweepSeries& s) { return s.evidence == Evidence::Measured; });
    const bool rates = first && first->unit == "GB/s";
    Heading heading;
    heading.title =
        !first  ? draft_.say("view.timing.title_runs")
        : rates ? draft_.say("view.timing.title_rate", {{"what", sweep.x_name}})
        : of_choices()
            ? draft_.say(timed_ ? "view.timing.title_choice" : "view.timing.title_choice_cost",
                         {{"what", sweep.x_name}})
            : draft_.say(timed_ ? "view.timing.title" : "view.timing.title_cost", {{"what", sweep.x_name}});
    const SweepPoint* now = first ? nearest(*first, sweep.x_now) : nullptr;
    if (now) heading.about = at_text(sweep, *now);
    heading.about_in_full = true;
    if (!sweep.note.empty()) heading.about += (heading.about.empty() ? "" : " · ") + sweep.note;
    if (has_runs()) {
      heading.answer = time_text(runs_.median);
      heading.sub = spread_text(time_text(runs_.low), time_text(runs_.high));
      heading.evidence = Evidence::Measured;
    } else if (now) {
      heading.answer = with_unit(now->y, first->unit);
      if (now->high > now->low)
        heading.sub = spread_text(with_unit(now->low, first->unit), with_unit(now->high, first->unit));
      heading.evidence = first->evidence;
    }
    if (heading.evidence == Evidence::Measured) heading.evidence_of = other_device(input_, sweep.on);
    // In a narrow pane what the time is of comes before how it spreads, which the band shows.
    constexpr float kNarrow = 600;
    if (draft_.context().size.width < kNarrow && !heading.about.empty()) heading.sub.clear();
    return draft_.header(heading);
  }

  // Where the curve has no point at the present value, the number is of its nearest one and says so.
  std::string at_text(const Sweep& sweep, const SweepPoint& now) const {
    const bool here = has_runs() || now.x == sweep.x_now;
    return draft_.say(here ? "view.timing.at" : "view.timing.at_nearest",
                      {{"what", sweep.x_name}, {"x", x_text(has_runs() ? sweep.x_now : now.x)}});
  }

  std::string spread_text(const std::string& low, const std::string& high) const {
    return draft_.say("view.timing.spread", {{"low", low}, {"high", high}});
  }

  std::string runs_text() const {
    return draft_.say("view.timing.runs_transcript", {{"median", time_text(runs_.median)},
                                                      {"low", time_text(runs_.low)},
                                                      {"high", time_text(runs_.high)},
                                                      {"n", value_of(runs_.outliers)}});
  }

  // The first series in the accent, the others dashed in green and in gold: never told apart by colour alone.
  // What the vendor's library takes is as pale as it is across bars.
  Ink ink_of_series(std::size_t i, float alpha = 1) const {
    const bool library = sweep_->library && sweep_->series[i].name == sweep_->library->name;
    return library ? Ink::of(Role::Text, 0.7f * alpha) : ink_of_column(i, alpha);
  }
  bool is_dashed(const SweepSeries& s, std::size_t i) const {
    return i > 0 || s.evidence == Evidence::Modelled;
  }
  // A second scale is needed where the units differ; two rates or two times share theirs.
  bool own_scale(std::size_t i) const {
    const SweepSeries* first = first_series();
    return first && sweep_->series[i].unit != first->unit;
  }

  std::string measured_elsewhere(const SweepSeries& s) const {
    return s.evidence == Evidence::Measured ? other_device(input_, sweep_->on) : std::string();
  }

  struct LegendEntry {
    std::size_t series = 0;
    std::string words;
    float words_width = 0, badge = 0;
    float width() const { return kLegendKey + words_width + 8 + badge; }
  };
  std::vector<LegendEntry> legend_entries(const Sweep& sweep) const {
    const bool two = sweep.series.size() > 1 && own_scale(1);
    std::vector<LegendEntry> out;
    for (std::size_t i = 0; i < sweep.series.size(); ++i) {
      const SweepSeries& s = sweep.series[i];
      if (s.points.empty()) continue;
      const std::string side = two ? (own_scale(i) ? "→ " : "← ") : "";
      LegendEntry entry{i, side + named_with_unit(draft_, s.name, s.unit)};
      entry.words_width = draft_.width(entry.words) + 2;
      entry.badge = draft_.badge_width(draft_.badge_word(s.evidence, measured_elsewhere(s)));
      out.push_back(std::move(entry));
    }
    return out;
  }

  // Every line that is drawn has its name: beside each other while they fit, then in the next row.
  void legend(Rect& rest, const Sweep& sweep) {
    const std::vector<LegendEntry> entries = legend_entries(sweep);
    Rect row = take_top(rest, kLegendRow);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const float wide = entries[i].width();
      if (i > 0 && row.width < wide) row = take_top(rest, kLegendRow);
      draw_legend(take_left(row, std::min(row.width, wide), kLegendGap), entries[i], sweep);
    }
    take_top(rest, 8);
  }

  // In a pane too narrow for one entry the badge goes, then the end of its words.
  void draw_legend(Rect r, const LegendEntry& entry, const Sweep& sweep) {
    const SweepSeries& s = sweep.series[entry.series];
    const Rect key = take_left(r, kLegendKey - 6, 6);
    draft_
        .line(fmt::format("legend.{}", entry.series), {{key.x, key.y + 9}, {key.right(), key.y + 9}},
              ink_of_series(entry.series), 2)
        .dashed = is_dashed(s, entry.series);
    const bool badge = r.width >= entry.words_width + 8 + entry.badge - 0.5f;
    draft_.text(fmt::format("legend.{}.name", entry.series),
                take_left(r, std::min(r.width, entry.words_width), 8), entry.words, {kSmall});
    if (badge)
      draft_.badge(fmt::format("legend.{}.evidence", entry.series), {r.x + entry.badge, r.y + 1}, s.evidence,
                   measured_elsewhere(s));
  }

  static double top_of(const SweepSeries& s) {
    double top = 0;
    for (const SweepPoint& p : s.points) top = std::max({top, p.y, p.high});
    return top > 0 ? top * 1.08 : 1;
  }
  // Of all series that are drawn on the left axis.
  double left_top() const {
    double top = 0;
    for (std::size_t i = 0; i < sweep_->series.size(); ++i)
      if (!own_scale(i)) top = std::max(top, top_of(sweep_->series[i]));
    return top > 0 ? top : 1;
  }
  // Of the scale that a series is drawn on: counts of one unit share theirs, or one of them would be read
  // against the other's numbers.
  double top_for(std::size_t i) const {
    if (!own_scale(i)) return left_top();
    double top = 0;
    for (std::size_t k = 0; k < sweep_->series.size(); ++k)
      if (own_scale(k) && sweep_->series[k].unit == sweep_->series[i].unit)
        top = std::max(top, top_of(sweep_->series[k]));
    return top;
  }
  bool shares_right_scale(std::size_t i) const {
    return std::ranges::count(sweep_->series, sweep_->series[i].unit, &SweepSeries::unit) > 1;
  }
  // Values that (nearly) double from point to point, as those of many sliders do, would crowd on the left.
  static bool double_each(const std::vector<SweepPoint>& points) {
    if (points.size() < 4 || points.front().x <= 0 || points.back().x < 16 * points.front().x) return false;
    // The value that is shown may stand between two of them, close to either.
    const std::size_t others = points.size() < 8 ? 0 : 2;
    std::size_t close = 0;
    for (std::size_t i = 1; i < points.size(); ++i) close += points[i].x < 1.5 * points[i - 1].x;
    return close <= others;
  }
  // So would those of a recording that has most of its points where launches are small.
  static bool crowd(const std::vector<SweepPoint>& points) {
    constexpr double kWide = 1000, kEdge = 16;
    return points.size() >= 4 && points.front().x > 0 && points.back().x >= kWide * points.front().x &&
           points[points.size() / 2].x < points.back().x / kEdge;
  }
  static bool doubling(const std::vector<SweepPoint>& points) { return double_each(points) || crowd(points); }
  bool doubles() const { return doubling(first_series()->points); }
  // The numbers on the axis, as many as there is room for: their own values, or powers of two among many.
  std::vector<std::pair<double, std::string>> own_ticks(float width) const {
    const std::vector<SweepPoint>& points = first_series()->points;
    const auto most = static_cast<std::size_t>(std::max(2.0f, width / 84));
    std::vector<std::pair<double, std::string>> out;
    if (double_each(points)) {
      const std::size_t step = (points.size() + most - 1) / most;
      for (std::size_t i = 0; i < points.size(); i += step)
        out.emplace_back(points[i].x, x_text(points[i].x));
      return out;
    }
    const int first = static_cast<int>(std::ceil(std::log2(points.front().x))),
              last = static_cast<int>(std::floor(std::log2(points.back().x)));
    const int step = std::max(1, (last - first + static_cast<int>(most) - 1) / static_cast<int>(most));
    for (int power = first; power <= last; power += step)
      out.emplace_back(std::ldexp(1.0, power), x_text(std::ldexp(1.0, power)));
    return out;
  }
  PlotRange range(const Sweep& sweep, float width) const {
    double low = 1e300, high = -1e300, least = 1e300;  // the latter on the left scale
    for (std::size_t i = 0; i < sweep.series.size(); ++i)
      for (const SweepPoint& p : sweep.series[i].points) {
        low = std::min(low, p.x);
        high = std::max(high, p.x);
        if (p.y > 0 && !own_scale(i)) least = std::min(least, p.y);
      }
    PlotRange out{.x_min = low, .x_max = high, .y_min = 0, .y_max = left_top()};
    out.log_x = (sweep.log_x || doubles()) && low > 0;
    if (!sweep.log_x && out.log_x) out.x_ticks = own_ticks(width);
    if (!out.log_x && std::ranges::all_of(first_series()->points,
                                          [](const SweepPoint& p) { return p.x == std::floor(p.x); }))
      for (const double t : binary_ticks(low, high, static_cast<int>(std::clamp(width / 56, 2.0f, 9.0f))))
        out.x_ticks.emplace_back(t, x_text(t));
    out.log_y = (sweep.log_y || (doubles() && left_top() >= kDecades * least)) && least < 1e300;
    if (out.log_y) out.y_min = std::pow(10, std::floor(std::log10(least)));
    return out;
  }

  void curves(Rect r, const Sweep& sweep) {
    const SweepSeries* first = first_series();
    std::size_t second = 0;
    for (std::size_t i = 1; i < sweep.series.size() && second == 0; ++i)
      if (own_scale(i) && !sweep.series[i].points.empty()) second = i;
    const Rect right = take_right(r, second > 0 ? 44.0f : 0.0f);
    range_ = range(sweep, r.width);
    Plot plot(draft_, "time", r, range_, sweep.x_name, r.height > 160 ? first->unit : "");
    if (second > 0) second_axis(right, plot, top_for(second), second);
    for (std::size_t i = sweep.series.size(); i-- > 0;) series(plot, sweep.series[i], i);
    // A curve that is still being measured has not come to the present value yet.
    const SweepPoint* now = nearest(*first, sweep.x_now);
    if (now && (now->x >= sweep.x_now || first->points.back().x >= sweep.x_now))
      plot.mark({now->x, now->y},
                draft_.say("view.timing.at", {{"what", sweep.x_name}, {"x", x_text(now->x)}}) + "\n" +
                    with_unit(now->y, first->unit));
  }

  void series(Plot& plot, const SweepSeries& s, std::size_t i) {
    // A series with its own unit has its own, even scale: it is drawn in units of the left axis.
    const auto on_left = [&](double value) {
      if (!own_scale(i)) return value;
      const double share = value / top_for(i);
      return range_.log_y ? range_.y_min * std::pow(range_.y_max / range_.y_min, share)
                          : share * range_.y_max;
    };
    std::vector<PlotPoint> points, low, high;
    bool has_spread = false;
    for (const SweepPoint& p : s.points) {
      points.push_back({p.x, on_left(p.y)});
      low.push_back({p.x, on_left(p.low)});
      high.push_back({p.x, on_left(p.high)});
      has_spread = has_spread || (p.high > p.low && p.low > 0);
    }
    if (has_spread) plot.band(low, high, ink_of_series(i, 0.18f));
    plot.line(points, ink_of_series(i), is_dashed(s, i), s.name);
    if (s.points.size() > 80) return;
    for (std::size_t k = 0; k < points.size(); ++k) {
      std::string tip = fmt::format("{} {}\n{} {}", sweep_->x_name, x_text(s.points[k].x), s.name,
                                    with_unit(s.points[k].y, s.unit));
      if (s.points[k].high > s.points[k].low)
        tip += "\n" + spread_text(with_unit(s.points[k].low, s.unit), with_unit(s.points[k].high, s.unit));
      plot.dot(points[k], ink_of_series(i), i == 0 ? 3.0f : 2.0f, tip);
    }
  }

  void second_axis(const Rect& r, const Plot& plot, double top, std::size_t i) {
    for (const double t : round_ticks(0, top, plot.inner().height > 140 ? 5 : 3)) {
      const float y = plot.inner().bottom() - plot.inner().height * static_cast<float>(t / top);
      draft_.text(
          fmt::format("right.{}", t), {r.x + 2, y - 7, r.width - 2, 14}, plain_number(t),
          {kTiny, Face::Mono, shares_right_scale(i) ? Ink::of(Role::Dim) : ink_of_series(i), Align::Left});
    }
  }

  std::string transcript(const Sweep& sweep) const {
    const SweepSeries& s = *first_series();
    const auto [low, high] = std::minmax_element(
        s.points.begin(), s.points.end(), [](const SweepPoint& a, const SweepPoint& b) { return a.y < b.y; });
    return draft_.say("view.timing.transcript", {{"what", sweep.x_name},
                                                 {"name", s.name},
                                                 {"least", with_unit(low->y, s.unit)},
                                                 {"at_least", x_text(low->x)},
                                                 {"most", with_unit(high->y, s.unit)},
                                                 {"at_most", x_text(high->x)}});
  }

  static constexpr float kLegendKey = 30, kLegendGap = 24, kLegendRow = 18;

  Draft draft_;
  const ViewInput& input_;
  bool timed_ = false;  // there is a clock in it
  std::optional<Sweep> sweep_;
  PlotRange range_;
  RunSummary runs_;
};

}  // namespace

Scene timing_view(const ViewContext& context, const ViewInput& input) {
  return TimingView(context, input).run();
}

bool timing_applies(const ViewInput& input) {
  return input.sweep &&
         (!input.sweep->series.empty() || !input.sweep->runs.empty() || input.sweep->spread.has_value());
}

}  // namespace warplens::visual
