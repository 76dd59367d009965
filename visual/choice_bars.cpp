#include "visual/choice_bars.h"

#include <fmt/format.h>

#include <algorithm>

#include "visual/run_times.h"

namespace warplens::visual {
namespace {

constexpr float kHead = 36, kLowHead = 20;  // names of the columns with the evidence under or beside them
constexpr float kLowRow = 16, kMostRow = 64, kValue = 64, kLibraryName = 18;

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
    Rect rest{area_.x + names, area_.y, area_.width - names, area_.height};
    const auto column_of = [&](std::size_t k) {
      return cell_of(rest, static_cast<int>(k), static_cast<int>(shown.size()), 20);
    };
    bool fit_beside = true;
    for (std::size_t k = 0; k < shown.size(); ++k)
      fit_beside = fit_beside && badge_beside(shown[k], column_of(k).width) <= column_of(k).width;
    choose_rows(fit_beside);
    const Rect left{area_.x, area_.y + head_, names, area_.height - head_};
    this->names(left);
    for (std::size_t k = 0; k < shown.size(); ++k) column(column_of(k), shown[k]);
  }

 private:
  // A low pane puts the evidence beside the names of the columns, then the rows closer. Where some still have
  // no room, those around the present one are there and the last line says how many are not.
  void choose_rows(bool fit_beside) {
    constexpr float kRow = 18;
    const std::size_t all = sweep_.x_names.size();
    const float rows = static_cast<float>(all), below = sweep_.library ? kLibraryName : 0;
    if (fit_beside && kHead + kRow * rows > area_.height + 1) head_ = kLowHead;
    row_ = std::clamp((area_.height - head_ - below) / rows, kLowRow, kMostRow);
    end_ = all;
    if (head_ + row_ * rows <= area_.height + 1) return;
    const auto room = static_cast<std::size_t>(std::max(2.0f, (area_.height + 1 - head_) / row_)) - 1;
    const auto now = static_cast<std::size_t>(std::clamp(sweep_.x_now, 0.0, static_cast<double>(all - 1)));
    begin_ = now < room ? 0 : now + 1 - room;
    end_ = std::min(all, begin_ + room);
  }
  float y_of(std::size_t i) const { return head_ + row_ * static_cast<float>(i - begin_); }
  bool is_now(std::size_t i) const { return sweep_.x_now == static_cast<double>(i); }

  void names(const Rect& r) {
    for (std::size_t i = begin_; i < end_; ++i) {
      const float y = area_.y + y_of(i);
      if (is_now(i))
        draft_.box("choice.now", {area_.x - 8, y, area_.width + 8, row_}, Ink::of(Role::Accent, 0.10f), 4);
      draft_.text(fmt::format("choice.{}", i), {r.x, y + (row_ - 18) / 2, r.width - 10, 18},
                  sweep_.x_names[i],
                  {kSmall, is_now(i) ? Face::SansBold : Face::Sans, Ink::of(Role::Text), Align::Left});
    }
    const std::size_t left_out = sweep_.x_names.size() - (end_ - begin_);
    if (left_out > 0)
      draft_.text("choice.more", {r.x, area_.y + y_of(end_), area_.width, 16},
                  draft_.say("view.timing.more_choices", {{"n", value_of(left_out)}}), dim(kTiny));
  }

  std::string name_of(const SweepSeries& s) const {
    const bool is_time = s.unit == "ms" || s.unit == "µs";
    return named_with_unit(draft_, s.name, is_time ? "" : s.unit);
  }
  std::string badge_of(const SweepSeries& s) const {
    return s.evidence == Evidence::Measured ? elsewhere_ : std::string();
  }
  // How far a column's name and its evidence reach in one row.
  float badge_beside(std::size_t index, float width) const {
    const SweepSeries& s = sweep_.series[index];
    return draft_.width(name_of(s), kTiny) + 8 +
           draft_.badge_width(draft_.badge_word(s.evidence, badge_of(s), width));
  }

  void column(Rect r, std::size_t index) {
    const SweepSeries& s = sweep_.series[index];
    const std::string of = badge_of(s), name = name_of(s);
    draft_.text(fmt::format("column.{}", index), {r.x, r.y, r.width, 17}, name, dim(kTiny));
    const float wide = draft_.badge_width(draft_.badge_word(s.evidence, of, r.width));
    const bool beside = head_ == kLowHead;
    const float x = r.x + (beside ? badge_beside(index, r.width) : wide);
    if (x <= r.right() + 0.5f)
      draft_.badge(fmt::format("column.{}.evidence", index), {x, r.y + (beside ? 0.0f : 17.0f)}, s.evidence,
                   of, r.width);
    double most = 0;
    for (const SweepPoint& p : s.points) most = std::max({most, p.y, p.high});
    if (index == 0) library(r, s, most);  // under the numbers
    for (std::size_t i = begin_; i < end_; ++i) {
      const Rect row{r.x, r.y + y_of(i), r.width, row_};
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
    const float bottom = r.y + y_of(end_);
    const std::string words = sweep_.library->name + " " + time_text(ms);
    auto& line = draft_.line("library", {{x, r.y + head_}, {x, std::min(bottom, area_.bottom())}},
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
  float head_ = kHead, row_ = kMostRow;
  std::size_t begin_ = 0, end_ = 0;  // the rows that are there
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
