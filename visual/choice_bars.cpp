#include "visual/choice_bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "visual/run_times.h"

namespace warplens::visual {
namespace {

constexpr float kHead = 36, kLeastRow = 18, kMostRow = 64, kValue = 64, kLibraryName = 18;

class ChoiceBars {
 public:
  ChoiceBars(Draft& draft, const Rect& area, const Sweep& sweep, const std::string& elsewhere)
      : draft_(draft), area_(area), sweep_(sweep), elsewhere_(elsewhere) {}

  void draw() {
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < sweep_.series.size() && shown.size() < 3; ++i)
      if (!sweep_.series[i].points.empty()) shown.push_back(i);
    if (shown.empty() || sweep_.x_names.empty()) return;
    float names = 0;
    for (const std::string& name : sweep_.x_names) names = std::max(names, draft_.width(name) + 20);
    names = std::min(names, area_.width * 0.34f);
    // In a narrow pane the last columns go.
    while (shown.size() > 1 && (area_.width - names) / static_cast<float>(shown.size()) < kValue + 60)
      shown.pop_back();
    const auto rows = static_cast<float>(sweep_.x_names.size());
    const float below = sweep_.library ? kLibraryName : 0;
    row_ = std::clamp((area_.height - kHead - below) / rows, kLeastRow, kMostRow);
    const Rect left{area_.x, area_.y + kHead, names, area_.height - kHead};
    this->names(left);
    Rect rest{area_.x + names, area_.y, area_.width - names, area_.height};
    for (std::size_t k = 0; k < shown.size(); ++k)
      column(cell_of(rest, static_cast<int>(k), static_cast<int>(shown.size()), 20), shown[k]);
  }

 private:
  bool fits(std::size_t i) const { return kHead + row_ * static_cast<float>(i + 1) <= area_.height + 1; }
  bool is_now(std::size_t i) const { return sweep_.x_now == static_cast<double>(i); }

  void names(const Rect& r) {
    for (std::size_t i = 0; i < sweep_.x_names.size() && fits(i); ++i) {
      const float y = r.y + row_ * static_cast<float>(i);
      if (is_now(i))
        draft_.box("choice.now", {area_.x - 8, y, area_.width + 8, row_}, Ink::of(Role::Accent, 0.10f), 4);
      draft_.text(fmt::format("choice.{}", i), {r.x, y + (row_ - 18) / 2, r.width - 10, 18},
                  sweep_.x_names[i],
                  {kSmall, is_now(i) ? Face::SansBold : Face::Sans, Ink::of(Role::Text), Align::Left});
    }
  }

  void column(Rect r, std::size_t index) {
    const SweepSeries& s = sweep_.series[index];
    const std::string of = s.evidence == Evidence::Measured ? elsewhere_ : std::string();
    const bool is_time = s.unit == "ms" || s.unit == "µs";
    const std::string name = named_with_unit(draft_, s.name, is_time ? "" : s.unit);
    draft_.text(fmt::format("column.{}", index), {r.x, r.y, r.width, 17}, name, dim(kTiny));
    const float wide = draft_.badge_width(draft_.badge_word(s.evidence, of, r.width));
    if (wide <= r.width)
      draft_.badge(fmt::format("column.{}.evidence", index), {r.x + wide, r.y + 17}, s.evidence, of, r.width);
    double most = 0;
    for (const SweepPoint& p : s.points) most = std::max({most, p.y, p.high});
    if (index == 0) library(r, s, most);  // under the numbers
    for (std::size_t i = 0; i < sweep_.x_names.size() && fits(i); ++i) {
      const Rect row{r.x, r.y + kHead + row_ * static_cast<float>(i), r.width, row_};
      const auto point = std::find_if(s.points.begin(), s.points.end(),
                                      [&](const SweepPoint& p) { return p.x == static_cast<double>(i); });
      if (point == s.points.end()) {
        draft_.text(fmt::format("bar.{}.{}.none", index, i), {row.x, row.y + (row_ - 16) / 2, row.width, 16},
                    "–", dim(kSmall));
        continue;
      }
      bar(row, index, i, *point, most);
    }
  }

  // What the vendor's library takes for the same work: a line across the bars of the times.
  void library(const Rect& r, const SweepSeries& times, double most) {
    if (!sweep_.library || sweep_.library->points.empty() || !(most > 0)) return;
    // The view reads times in microseconds where they are short; the line comes in milliseconds.
    const double ms = sweep_.library->points.front().y, value = times.unit == "ms" ? ms : ms * 1000;
    const float x = r.x + std::max(8.0f, r.width - kValue) * static_cast<float>(std::min(1.0, value / most));
    const float bottom = r.y + kHead + row_ * static_cast<float>(sweep_.x_names.size());
    const std::string words = sweep_.library->name + " " + time_text(ms);
    auto& line = draft_.line("library", {{x, r.y + kHead}, {x, std::min(bottom, area_.bottom())}},
                             Ink::of(Role::Text, 0.7f), 1.5f);
    line.dashed = true;
    // On the side of the line where there is room.
    const bool behind = draft_.fits(words, r.right() - x - 4, kTiny);
    if (bottom + kLibraryName <= area_.bottom() + 1)
      draft_.text(
          "library.name",
          behind ? Rect{x + 4, bottom + 2, r.right() - x - 4, 16} : Rect{r.x, bottom + 2, x - 4 - r.x, 16},
          words, {kTiny, Face::Sans, Ink::of(Role::Text), behind ? Align::Left : Align::Right});
    else
      line.tooltip = words;
  }

  std::string value_text(const SweepSeries& s, double value) const {
    return s.unit == "ms" ? time_text(value) : s.unit == "µs" ? time_text(value / 1000) : plain_number(value);
  }

  void bar(const Rect& row, std::size_t index, std::size_t i, const SweepPoint& p, double most) {
    const SweepSeries& s = sweep_.series[index];
    const float room = std::max(8.0f, row.width - kValue),
                thick = std::clamp(row.height * 0.42f, std::min(18.0f, row.height - 6), 26.0f);
    const auto long_as = [&](double v) { return most > 0 ? room * static_cast<float>(v / most) : 0.0f; };
    const Ink ink = ink_of_column(index, is_now(i) ? 1.0f : 0.6f);
    const Rect box{row.x, row.y + (row.height - thick) / 2, std::max(1.5f, long_as(p.y)), thick};
    std::string tip = sweep_.x_names[i] + "\n" + s.name + " " + value_text(s, p.y);
    const bool spread = p.high > p.low && p.low > 0;
    if (spread)
      tip += "\n" + draft_.say("view.timing.spread",
                               {{"low", value_text(s, p.low)}, {"high", value_text(s, p.high)}});
    draft_.box(fmt::format("bar.{}.{}", index, i), box, ink, 2).tooltip = tip;
    const float middle = row.y + row.height / 2;
    if (spread)
      draft_.line(fmt::format("bar.{}.{}.spread", index, i),
                  {{row.x + long_as(p.low), middle}, {row.x + std::min(room, long_as(p.high)), middle}},
                  Ink::of(Role::Text, 0.7f), 1.5f);
    draft_.text(fmt::format("bar.{}.{}.value", index, i),
                {box.right() + (spread ? std::max(6.0f, long_as(p.high) - long_as(p.y) + 4) : 6.0f),
                 middle - 9, kValue - 6, 18},
                value_text(s, p.y),
                {kSmall, is_now(i) ? Face::MonoBold : Face::Mono, Ink::of(Role::Text), Align::Left});
  }

  Draft& draft_;
  const Rect area_;
  const Sweep& sweep_;
  const std::string& elsewhere_;
  float row_ = kLeastRow;
};

}  // namespace

std::string named_with_unit(const Draft& draft, const std::string& name, const std::string& unit) {
  return unit.empty() ? name : draft.say("view.timing.with_unit", {{"name", name}, {"unit", unit}});
}

Ink ink_of_column(std::size_t index, float alpha) {
  constexpr int kGold = 28;  // of the lanes' ramp
  return index == 0   ? Ink::of(Role::Accent, alpha)
         : index == 1 ? Ink::of(Role::Good, alpha)
                      : Ink::of_lane(kGold, alpha);
}

void draw_choice_bars(Draft& draft, const Rect& area, const Sweep& sweep, const std::string& elsewhere) {
  ChoiceBars(draft, area, sweep, elsewhere).draw();
}

}  // namespace warplens::visual
