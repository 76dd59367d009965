#include "visual/run_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warplens::visual {
namespace {

constexpr std::size_t kMostDots = 600;  // more runs than this are drawn by their extremes

double at_share(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

bool is_outlier(const RunSummary& s, double t) {
  const double reach = std::max({s.high - s.median, s.median - s.low, s.median * 1e-3});
  return std::abs(t - s.median) > 3 * reach;
}

class Runs {
 public:
  Runs(Draft& draft, const std::vector<double>& times)
      : draft_(draft), times_(times), of_(summarise(times)) {}

  void draw(Rect r) {
    draft_.caption("caption.runs", take_top(r, 16, 6),
                   draft_.say("view.timing.runs", {{"n", group_digits(times_.size())}}));
    const float rows = r.height;
    const Rect names = take_left(r, 64, 8);
    const bool both = r.width > 420;
    const Rect axis = rows > 90 ? take_bottom(r, 16, 4) : Rect{};
    if (both) histogram_ = take_right(r, r.width * 0.34f, 20);
    if (both) histogram_.height = r.height;
    field_ = r;
    const double pad = std::max((of_.high - of_.low) * 0.6, of_.median * 0.004);
    bottom_ = std::max(0.0, std::min(of_.least, of_.low) - pad * 0.5);
    top_ = std::min(of_.most, of_.high + pad * 1.6) + pad * 0.5;
    if (!(top_ > bottom_)) top_ = bottom_ + 1;
    spread(names);
    dots();
    if (both) bars();
    if (axis.height > 0) {
      draft_.text("runs.first", {field_.x, axis.y, field_.width * 0.5f, 16}, draft_.say("view.timing.order"),
                  dim(kTiny));
      if (both)
        draft_.text("runs.often", {histogram_.x, axis.y, histogram_.width, 16},
                    draft_.say("view.timing.often"), dim(kTiny));
    }
  }

 private:
  float y_of(double t) const {
    const auto share = static_cast<float>(std::clamp((t - bottom_) / (top_ - bottom_), 0.0, 1.0));
    return field_.bottom() - field_.height * share;
  }

  void spread(const Rect& names) {
    const float right = histogram_.width > 0 ? histogram_.right() : field_.right();
    const float upper = y_of(of_.high), lower = y_of(of_.low), middle = y_of(of_.median);
    Shape& band = draft_.box("runs.band", {field_.x, upper, right - field_.x, std::max(1.0f, lower - upper)},
                             Ink::of(Role::Accent, 0.14f));
    band.tooltip =
        draft_.say("view.timing.spread", {{"low", time_text(of_.low)}, {"high", time_text(of_.high)}});
    draft_.line("runs.median", {{field_.x, middle}, {right, middle}}, Ink::of(Role::Accent), 1.5f).tooltip =
        draft_.say("view.timing.median", {{"t", time_text(of_.median)}});
    float free_from = -1e9f;
    const auto name = [&](const char* id, float y, const std::string& words, bool strong) {
      const Rect at{names.x, std::clamp(y - 7, field_.y, field_.bottom() - 14), names.width, 14};
      if (std::abs(at.y - free_from) < 14) return;
      free_from = at.y;
      draft_.text(id, at, words,
                  {kTiny, strong ? Face::MonoBold : Face::Mono, Ink::of(strong ? Role::Text : Role::Dim),
                   Align::Right});
    };
    name("runs.median.name", middle, time_text(of_.median), true);
    name("runs.high.name", std::min(upper, middle - 15), "p95", false);
    free_from = std::clamp(middle - 7, field_.y, field_.bottom() - 14);
    name("runs.low.name", std::max(lower, middle + 15), "p5", false);
  }

  void dots() {
    const std::size_t step = std::max<std::size_t>(1, (times_.size() + kMostDots - 1) / kMostDots);
    const float pitch = field_.width / static_cast<float>(std::max<std::size_t>(1, times_.size()));
    for (std::size_t i = 0; i < times_.size(); i += step) {
      // Of several runs that share a dot the one that is furthest off is shown.
      std::size_t shown = i;
      for (std::size_t k = i; k < std::min(i + step, times_.size()); ++k)
        if (std::abs(times_[k] - of_.median) > std::abs(times_[shown] - of_.median)) shown = k;
      dot(shown, field_.x + pitch * (static_cast<float>(i) + 0.5f));
    }
  }

  void dot(std::size_t run, float x) {
    const double t = times_[run];
    const bool out = is_outlier(of_, t);
    const std::string tip =
        draft_.say("view.timing.run", {{"n", group_digits(run + 1)}, {"t", time_text(t)}}) +
        (out ? "\n" + draft_.say("view.timing.outlier") : std::string());
    const float y = y_of(t);
    const std::string id = fmt::format("run.{}", run);
    if (t > top_) {
      draft_.polygon(id, {{x - 4, field_.y + 7}, {x, field_.y}, {x + 4, field_.y + 7}}, Ink::of(Role::Warn))
          .tooltip = tip;
      return;
    }
    Shape& s =
        draft_.disc(id, {x, y}, out ? 3.5f : 2.0f, out ? Ink::of(Role::Ground) : Ink::of(Role::Accent, 0.8f));
    s.tooltip = tip;
    if (!out) return;
    s.stroke = Ink::of(Role::Warn);
    s.stroke_width = 1.5f;
  }

  void bars() {
    const auto count = static_cast<std::size_t>(std::clamp(histogram_.height / 6, 6.0f, 48.0f));
    std::vector<int> often(count, 0);
    for (const double t : times_) {
      const double share = std::clamp((t - bottom_) / (top_ - bottom_), 0.0, 1.0);
      ++often[std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)))];
    }
    const int most = *std::max_element(often.begin(), often.end());
    const float high = histogram_.height / static_cast<float>(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (often[i] == 0) continue;
      const double from = bottom_ + (top_ - bottom_) * static_cast<double>(i) / static_cast<double>(count);
      const double to = from + (top_ - bottom_) / static_cast<double>(count);
      const float wide =
          std::max(1.5f, histogram_.width * static_cast<float>(often[i]) / static_cast<float>(most));
      const bool beyond = i + 1 == count && of_.most > top_;
      draft_
          .box(fmt::format("often.{}", i),
               {histogram_.x, histogram_.bottom() - high * static_cast<float>(i + 1), wide,
                std::max(1.0f, high - 1)},
               Ink::of(beyond ? Role::Warn : Role::Accent, 0.85f), 1)
          .tooltip = draft_.say(
          "view.timing.bar",
          {{"n", value_of(often[i])}, {"from", time_text(from)}, {"to", time_text(beyond ? of_.most : to)}});
    }
  }

  Draft& draft_;
  const std::vector<double>& times_;
  RunSummary of_;
  Rect field_, histogram_;
  double bottom_ = 0, top_ = 1;
};

}  // namespace

RunSummary summarise(const std::vector<double>& milliseconds) {
  RunSummary out;
  std::vector<double> sorted;
  for (const double t : milliseconds)
    if (std::isfinite(t)) sorted.push_back(t);
  if (sorted.empty()) return out;
  std::sort(sorted.begin(), sorted.end());
  out.median = at_share(sorted, 0.5);
  out.low = at_share(sorted, 0.05);
  out.high = at_share(sorted, 0.95);
  out.least = sorted.front();
  out.most = sorted.back();
  out.outliers = static_cast<int>(
      std::count_if(sorted.begin(), sorted.end(), [&](double t) { return is_outlier(out, t); }));
  return out;
}

RunSummary summarise(const RunSpread& spread) {
  RunSummary out{spread.median, spread.p5,  spread.p95,
                 spread.p5,     spread.p95, static_cast<int>(spread.outliers.size())};
  for (const double t : spread.outliers) {
    out.least = std::min(out.least, t);
    out.most = std::max(out.most, t);
  }
  return out;
}

void draw_runs(Draft& draft, Rect r, const std::vector<double>& milliseconds) {
  if (milliseconds.empty() || r.height < 60) return;
  Runs(draft, milliseconds).draw(r);
}

void draw_spread(Draft& draft, Rect r, const RunSpread& spread) {
  if (!(spread.median > 0) || r.height < 56) return;
  draft.caption("caption.runs", take_top(r, 16, 4),
                draft.say("view.timing.runs",
                          {{"n", group_digits(static_cast<std::uint64_t>(std::max(0, spread.runs)))}}));
  const RunSummary of = summarise(spread);
  const double pad = std::max((of.high - of.low) * 0.5, of.median * 0.004);
  const double low = std::max(0.0, of.least - pad);
  const double high = std::max(of.high, std::min(of.most, of.high + 8 * pad)) + pad;
  const auto x_of = [&](double t) {
    return r.x + r.width * static_cast<float>(std::clamp((t - low) / (high - low), 0.0, 1.0));
  };
  const Rect row = take_top(r, 20, 2);
  const float middle = row.y + row.height / 2;
  draft.line("runs.reach", {{x_of(of.low), middle}, {x_of(of.high), middle}}, Ink::of(Role::Accent), 2)
      .tooltip = draft.say("view.timing.spread", {{"low", time_text(of.low)}, {"high", time_text(of.high)}});
  draft
      .box("runs.half",
           {x_of(spread.p25), row.y + 3, std::max(2.0f, x_of(spread.p75) - x_of(spread.p25)), 14},
           Ink::of(Role::Accent, 0.5f), 2)
      .tooltip =
      draft.say("view.timing.half", {{"low", time_text(spread.p25)}, {"high", time_text(spread.p75)}});
  const std::string median = draft.say("view.timing.median", {{"t", time_text(of.median)}});
  draft
      .line("runs.median", {{x_of(of.median), row.y}, {x_of(of.median), row.bottom()}}, Ink::of(Role::Text),
            2)
      .tooltip = median;
  for (std::size_t i = 0; i < spread.outliers.size(); ++i) {
    Shape& s = draft.disc(fmt::format("outlier.{}", i), {x_of(spread.outliers[i]), middle}, 4,
                          Ink::of(Role::Ground));
    s.stroke = Ink::of(Role::Warn);
    s.stroke_width = 1.5f;
    s.tooltip = draft.say("view.timing.outlier") + "\n" + time_text(spread.outliers[i]);
  }
  const float wide = draft.width(median, kTiny) + 2;
  if (wide < r.width && r.height >= 14)
    draft.text("runs.median.name",
               {std::clamp(x_of(of.median) - wide / 2, r.x, r.right() - wide), r.y, wide, 14}, median,
               {kTiny, Face::Sans, Ink::of(Role::Text), Align::Centre});
}

}  // namespace warplens::visual
