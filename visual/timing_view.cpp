// How does time follow? Measured runs over one changing value, with their spread as a band, and what was
// counted on the same axis: where the two part, something else than the count decides.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visual/layout.h"
#include "visual/plot.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

class TimingView {
 public:
  TimingView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!has_points()) return empty();
    const Sweep& sweep = *input_.sweep;
    Rect rest = header(sweep);
    if (!sweep.warnings.empty() && rest.height > 160) {
      std::string all;
      for (const std::string& w : sweep.warnings) all += (all.empty() ? "" : " ") + w;
      draft_.sentence("warning", take_bottom(rest, draft_.sentence_height(all, rest.width, 2), 12), all);
    }
    legend(take_top(rest, 18, 8), sweep);
    curves(rest, sweep);
    return draft_.finish(transcript(sweep));
  }

 private:
  bool has_points() const {
    return input_.sweep && std::any_of(input_.sweep->series.begin(), input_.sweep->series.end(),
                                       [](const SweepSeries& s) { return !s.points.empty(); });
  }

  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.timing.title_plain")});
    draft_.empty(rest, draft_.say("view.timing.none"), draft_.say("view.timing.none_advice"));
    return draft_.finish(draft_.say("view.timing.none"));
  }

  static const SweepPoint* nearest(const SweepSeries& series, double x) {
    const SweepPoint* best = nullptr;
    for (const SweepPoint& p : series.points)
      if (!best || std::abs(p.x - x) < std::abs(best->x - x)) best = &p;
    return best;
  }

  static std::string with_unit(double value, const std::string& unit) {
    return plain_number(value) + (unit.empty() ? "" : " " + unit);
  }

  Rect header(const Sweep& sweep) {
    // Without a clock in it the curve is not about time.
    const bool timed = std::any_of(sweep.series.begin(), sweep.series.end(),
                                   [](const SweepSeries& s) { return s.evidence == Evidence::Measured; });
    const char* title = timed ? "view.timing.title" : "view.timing.title_cost";
    const SweepSeries& first = sweep.series.front();
    const SweepPoint* now = nearest(first, sweep.x_now);
    std::string sub;
    if (now && now->high > now->low)
      sub = draft_.say("view.timing.spread", {{"low", with_unit(now->low, first.unit)},
                                              {"high", with_unit(now->high, first.unit)}});
    return draft_.header(
        {.title = draft_.say(title, {{"what", sweep.x_name}}),
         .about = draft_.say("view.timing.at", {{"what", sweep.x_name}, {"x", plain_number(sweep.x_now)}}),
         .answer = now ? with_unit(now->y, first.unit) : "",
         .sub = sub,
         .evidence = first.evidence});
  }

  // The first series in the accent, the second dotted in green: never told apart by colour alone.
  Ink ink_of_series(std::size_t i) const {
    return Ink::of(i == 0 ? Role::Accent : i == 1 ? Role::Good : Role::Modelled);
  }
  bool is_dashed(const SweepSeries& s, std::size_t i) const {
    return i > 0 || s.evidence == Evidence::Modelled;
  }

  void legend(Rect r, const Sweep& sweep) {
    for (std::size_t i = 0; i < sweep.series.size() && i < 3; ++i) {
      const SweepSeries& s = sweep.series[i];
      const std::string side = sweep.series.size() > 1 ? (i == 0 ? "← " : "→ ") : "";
      const std::string words = side + s.name + (s.unit.empty() ? "" : ", " + s.unit);
      const float wide = draft_.width(words) + 2;
      if (r.width < wide + 40) return;
      const Rect key = take_left(r, 24, 6);
      draft_
          .line(fmt::format("legend.{}", i), {{key.x, key.y + 9}, {key.right(), key.y + 9}}, ink_of_series(i),
                2)
          .dashed = is_dashed(s, i);
      draft_.text(fmt::format("legend.{}.name", i), take_left(r, wide, 8), words, {kSmall});
      const std::string word = draft_.say(std::string("view.evidence.") + std::string(name(s.evidence)));
      const float badge = draft_.width(word, kTiny, Face::SansBold) + 12;
      if (r.width < badge) return;
      draft_.badge(fmt::format("legend.{}.evidence", i), {r.x + badge, r.y + 1}, s.evidence);
      take_left(r, badge, 24);
    }
  }

  static double top_of(const SweepSeries& s) {
    double top = 0;
    for (const SweepPoint& p : s.points) top = std::max({top, p.y, p.high});
    return top > 0 ? top * 1.08 : 1;
  }

  void curves(Rect r, const Sweep& sweep) {
    double low = 1e300, high = -1e300;
    for (const SweepSeries& s : sweep.series)
      for (const SweepPoint& p : s.points) {
        low = std::min(low, p.x);
        high = std::max(high, p.x);
      }
    const SweepSeries& first = sweep.series.front();
    const bool two = sweep.series.size() > 1;
    const float scale_width = two ? 44.0f : 0.0f;
    const Rect right = take_right(r, scale_width);
    Plot plot(draft_, "time", r, {.x_min = low, .x_max = high, .y_min = 0, .y_max = top_of(first)},
              sweep.x_name, "");
    if (two) second_axis(right, plot, top_of(sweep.series[1]));
    for (std::size_t i = sweep.series.size(); i-- > 0;) series(plot, sweep.series[i], i, top_of(first));
    if (const SweepPoint* now = nearest(first, sweep.x_now))
      plot.mark({now->x, now->y},
                draft_.say("view.timing.at", {{"what", sweep.x_name}, {"x", plain_number(now->x)}}) + "\n" +
                    with_unit(now->y, first.unit));
  }

  void series(Plot& plot, const SweepSeries& s, std::size_t i, double scale) {
    // Each further series has its own scale: it is drawn in units of the first axis.
    const double factor = i == 0 ? 1 : scale / top_of(s);
    std::vector<PlotPoint> points, low, high;
    bool has_spread = false;
    for (const SweepPoint& p : s.points) {
      points.push_back({p.x, p.y * factor});
      low.push_back({p.x, p.low * factor});
      high.push_back({p.x, p.high * factor});
      has_spread = has_spread || (p.high > p.low && p.low > 0);
    }
    if (has_spread) plot.band(low, high, Ink::of(Role::Accent, 0.16f));
    plot.line(points, ink_of_series(i), is_dashed(s, i), s.name);
    if (s.points.size() > 80) return;
    for (std::size_t k = 0; k < points.size(); ++k)
      plot.dot(points[k], ink_of_series(i), i == 0 ? 3.0f : 2.0f,
               fmt::format("{} {}\n{} {}", input_.sweep->x_name, plain_number(s.points[k].x), s.name,
                           with_unit(s.points[k].y, s.unit)));
  }

  void second_axis(const Rect& r, const Plot& plot, double top) {
    for (const double t : round_ticks(0, top, plot.inner().height > 140 ? 5 : 3)) {
      const float y = plot.inner().bottom() - plot.inner().height * static_cast<float>(t / top);
      draft_.text(fmt::format("right.{}", t), {r.x + 2, y - 7, r.width - 2, 14}, plain_number(t),
                  {kTiny, Face::Mono, Ink::of(Role::Good), Align::Left});
    }
  }

  std::string transcript(const Sweep& sweep) const {
    const SweepSeries& s = sweep.series.front();
    if (s.points.empty()) return draft_.say("view.timing.none");
    const auto [low, high] = std::minmax_element(
        s.points.begin(), s.points.end(), [](const SweepPoint& a, const SweepPoint& b) { return a.y < b.y; });
    return draft_.say("view.timing.transcript", {{"what", sweep.x_name},
                                                 {"name", s.name},
                                                 {"least", with_unit(low->y, s.unit)},
                                                 {"at_least", plain_number(low->x)},
                                                 {"most", with_unit(high->y, s.unit)},
                                                 {"at_most", plain_number(high->x)}});
  }

  Draft draft_;
  const ViewInput& input_;
};

}  // namespace

Scene timing_view(const ViewContext& context, const ViewInput& input) {
  return TimingView(context, input).run();
}

bool timing_applies(const ViewInput& input) {
  return input.sweep && !input.sweep->series.empty();
}

}  // namespace warplens::visual
