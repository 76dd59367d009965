#include "visual/matrix_close_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/typography.h"
#include "visual/pick.h"

namespace warplens::visual {
namespace {

constexpr float kLeastSide = 14.5f, kMostElement = 44, kGap = 7, kRowNames = 40, kColumnNames = 16;
constexpr std::uint64_t kSectorBytes = 32;
constexpr std::size_t kMostNearRows = 32, kMostNearColumns = 64;  // with the surroundings

// Indexes that are shown, ascending; a gap stands where some are left out.
using Axis = std::vector<std::int64_t>;

float gaps_of(const Axis& axis) {
  float out = 0;
  for (std::size_t i = 1; i < axis.size(); ++i) out += axis[i] != axis[i - 1] + 1 ? kGap : 0;
  return out;
}

Axis all_between(std::int64_t low, std::int64_t high) {
  Axis out;
  for (std::int64_t i = low; i <= high; ++i) out.push_back(i);
  return out;
}

std::string range_text(const Axis& axis) {
  return axis.size() == 1 ? std::to_string(axis[0]) : fmt::format("{}–{}", axis.front(), axis.back());
}

struct Axes {
  Axis rows, columns;
};

// Whether sectors begin at the same columns in every row.
bool aligned(const MatrixShape& matrix) {
  const auto bytes = static_cast<std::uint64_t>(matrix.element_bytes);
  return matrix.base % kSectorBytes == 0 && matrix.columns * bytes % kSectorBytes == 0;
}

// The elements of the sectors that hold what the lanes ask for.
std::set<MatrixPlace> fetched_with(const CloseUp& of) {
  std::set<MatrixPlace> out;
  const MatrixShape& m = of.matrix;
  const std::int64_t each =
      aligned(m) ? std::max<std::int64_t>(1, static_cast<std::int64_t>(kSectorBytes) / m.element_bytes) : 1;
  for (const auto& [place, lanes] : of.lanes) {
    const std::int64_t first = place.second / each * each;
    for (std::int64_t i = first; i < std::min(first + each, static_cast<std::int64_t>(m.columns)); ++i)
      out.insert({place.first, i});
  }
  return out;
}

class Picture {
 public:
  Picture(Draft& draft, const Rect& r, const CloseUp& of)
      : draft_(draft), r_(r), of_(of), fetched_(fetched_with(of)) {}

  void draw() {
    Rect rest = r_;
    const Rect caption = take_top(rest, 16, 6);
    take_top(rest, kColumnNames);
    take_left(rest, kRowNames);
    if (!choose(rest)) return;
    side_ = std::min({kMostElement,
                      (rest.width - gaps_of(axes_.columns)) / static_cast<float>(axes_.columns.size()),
                      (rest.height - gaps_of(axes_.rows)) / static_cast<float>(axes_.rows.size())});
    if (side_ < 3) return;
    extend(axes_.rows, rest.height, static_cast<std::int64_t>(of_.matrix.rows), kMostNearRows);
    extend(axes_.columns, rest.width, static_cast<std::int64_t>(of_.matrix.columns), kMostNearColumns);
    draft_.caption("close_up.caption", caption,
                   draft_.say("view.matrix.close_up", {{"matrix", of_.matrix.name},
                                                       {"rows", range_text(axes_.rows)},
                                                       {"columns", range_text(axes_.columns)}}));
    place(axes_.columns, rest.x, x_);
    place(axes_.rows, rest.y, y_);
    names(rest);
    for (std::size_t row = 0; row < axes_.rows.size(); ++row)
      for (std::size_t column = 0; column < axes_.columns.size(); ++column) cell(row, column);
    sectors();
    for (const auto& [lane, p] : of_.beyond) beyond(lane, p);
  }

 private:
  bool fits(const Axes& axes, const Rect& r) const {
    const auto columns = static_cast<float>(axes.columns.size()), rows = static_cast<float>(axes.rows.size());
    return columns * kLeastSide + gaps_of(axes.columns) <= r.width &&
           rows * kLeastSide + gaps_of(axes.rows) <= r.height;
  }

  static Axes around(const std::set<MatrixPlace>& places) {
    std::int64_t left = places.begin()->second, right = left;
    for (const auto& [row, column] : places) left = std::min(left, column), right = std::max(right, column);
    return {all_between(places.begin()->first, places.rbegin()->first), all_between(left, right)};
  }
  static Axes only(const std::set<MatrixPlace>& places) {
    std::set<std::int64_t> rows, columns;
    for (const auto& [row, column] : places) rows.insert(row), columns.insert(column);
    return {{rows.begin(), rows.end()}, {columns.begin(), columns.end()}};
  }

  // The most context that leaves room for numbers: the tile, what was fetched, the elements alone.
  bool choose(const Rect& r) {
    std::set<MatrixPlace> taken, all;
    for (const auto& [place, lanes] : of_.lanes) taken.insert(place);
    for (const auto& [lane, place] : of_.beyond) taken.insert(place);
    if (taken.empty()) return false;
    all = of_.tile;
    all.insert(taken.begin(), taken.end());
    std::set<MatrixPlace> fetched = taken;
    fetched.insert(fetched_.begin(), fetched_.end());
    const auto small = [](const std::set<MatrixPlace>& places) {
      return places.rbegin()->first - places.begin()->first < 256;
    };
    if (small(all) && fits(around(all), r)) return axes_ = around(all), true;
    if (small(fetched) && fits(around(fetched), r)) return axes_ = around(fetched), true;
    if (fits(only(fetched), r)) return axes_ = only(fetched), true;
    // What has no room is cut off, first of all what nobody asked for.
    axes_ = only(fetched);
    const auto cut = [](Axis& axis, float room) {
      while (axis.size() > 1 && static_cast<float>(axis.size()) * kLeastSide + gaps_of(axis) > room)
        axis.pop_back();
    };
    if (static_cast<float>(axes_.columns.size()) * kLeastSide + gaps_of(axes_.columns) > r.width)
      axes_ = only(taken);
    cut(axes_.rows, r.height);
    cut(axes_.columns, r.width);
    return true;
  }

  // What lies behind, then before it, where there is room: the access is seen in its surroundings. Not
  // where something in between is left out.
  void extend(Axis& axis, float room, std::int64_t end, std::size_t most) const {
    if (gaps_of(axis) > 0) return;
    const auto fits = [&] {
      return axis.size() < most && static_cast<float>(axis.size() + 1) * side_ <= room;
    };
    while (fits() && axis.back() + 1 < end) axis.push_back(axis.back() + 1);
    while (fits() && axis.front() > 0) axis.insert(axis.begin(), axis.front() - 1);
  }

  void place(const Axis& axis, float begin, std::vector<float>& out) const {
    for (std::size_t i = 0; i < axis.size(); ++i) {
      if (i > 0) begin += side_ + (axis[i] != axis[i - 1] + 1 ? kGap : 0);
      out.push_back(begin);
    }
  }

  // Indexes at the edges, as many as have room.
  void names(const Rect& rest) {
    float free = rest.x - kRowNames;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const std::string name = std::to_string(axes_.columns[i]);
      const float wide = draft_.width(name, kTiny, Face::Mono) + 2, x = x_[i] + (side_ - wide) / 2;
      if (x < free || x + wide > r_.right()) continue;
      draft_.text(fmt::format("close_up.column.{}", axes_.columns[i]), {x, rest.y - kColumnNames, wide, 14},
                  name, {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Centre});
      free = x + wide + 4;
    }
    free = rest.y - 1;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const float y = y_[i] + (side_ - 14) / 2;
      if (y < free) continue;
      draft_.text(fmt::format("close_up.row.{}", axes_.rows[i]), {rest.x - kRowNames, y, kRowNames - 6, 14},
                  std::to_string(axes_.rows[i]), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
      free = y + 13;
    }
  }

  bool is_inside(const MatrixPlace& p) const {
    return p.first < static_cast<std::int64_t>(of_.matrix.rows) &&
           p.second < static_cast<std::int64_t>(of_.matrix.columns);
  }

  Ink ground(const MatrixPlace& p) const {
    if (of_.warp_part.contains(p)) return Ink::of(Role::Accent, 0.6f);
    if (of_.tile.contains(p)) return Ink::of(Role::Accent, 0.3f);
    const auto at =
        static_cast<std::size_t>(p.first) * of_.matrix.columns + static_cast<std::size_t>(p.second);
    if (at < of_.matrix.touches.size() && of_.matrix.touches[at] > 0) return Ink::of(Role::Good, 0.25f);
    return Ink::of(Role::Raised);
  }

  void cell(std::size_t row, std::size_t column) {
    const MatrixPlace p{axes_.rows[row], axes_.columns[column]};
    if (!is_inside(p)) return;
    const Rect box{x_[column], y_[row], side_ - 1, side_ - 1};
    const std::string id = fmt::format("close_up.{}.{}", p.first, p.second);
    const auto lanes = of_.lanes.find(p);
    if (lanes != of_.lanes.end()) return taken(id, box, p, lanes->second);
    draft_.box(id, box, ground(p));
    if (!trace::is_load(of_.access.kind) || !fetched_.contains(p)) return;
    Shape& s = draft_.box(id + ".unused", box, Ink::of(Role::Warn, 0.8f));
    s.pattern = Pattern::Hatched;
    s.tooltip = draft_.say("view.matrix.unused",
                           {{"place", fmt::format("{}[{}][{}]", of_.matrix.name, p.first, p.second)}});
  }

  // Several lanes on one element share its box.
  void taken(const std::string& id, const Rect& box, const MatrixPlace& p, LaneMask mask) {
    std::vector<int> lanes;
    for (LaneMask left = mask; left != 0; left &= left - 1) lanes.push_back(std::countr_zero(left));
    const auto slices = static_cast<int>(std::min<std::size_t>(lanes.size(), box.width > 24 ? 8 : 4));
    const std::string where = fmt::format("{}[{}][{}]", of_.matrix.name, p.first, p.second);
    for (int i = 0; i < slices; ++i) {
      const int lane = lanes[static_cast<std::size_t>(i) * lanes.size() / static_cast<std::size_t>(slices)];
      Shape& s =
          draft_.box(fmt::format("{}.lane.{}", id, lane), cell_of(box, i, slices, 0), Ink::of_lane(lane));
      s.target.lane = lane;
      s.target.warp = of_.access.warp;
      s.target.step = of_.step;
      s.tooltip = lanes.size() == 1 ? lane_tooltip(draft_, of_.access.kind, lane, where)
                                    : draft_.say("view.address_map.shared_bytes",
                                                 {{"lanes", lanes_text(mask)}, {"place", where}});
    }
    if (mask & of_.focused) draft_.frame(id + ".focus", box, Ink::of(Role::Text), 2);
    const std::string word = lanes.size() == 1 ? std::to_string(lanes[0]) : fmt::format("×{}", lanes.size());
    if (!draft_.fits(word, box.width, kTiny, Face::MonoBold)) return;
    if (lanes.size() > 1) {
      const float wide = std::min(box.width, draft_.width(word, kTiny, Face::MonoBold) + 6);
      draft_.box(id + ".ground", {box.x + (box.width - wide) / 2, box.y + box.height / 2 - 7, wide, 14},
                 Ink::of(Role::Ground, 0.85f), 2);
    }
    draft_.text(
        id + ".n", box, word,
        {box.width > 34 ? kSmall : kTiny, Face::MonoBold,
         lanes.size() > 1 ? Ink::of(Role::Text) : Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lanes[0])},
         Align::Centre});
  }

  // Where one sector ends and the next begins.
  void sectors() {
    const auto each = static_cast<std::int64_t>(kSectorBytes) / std::max(1, of_.matrix.element_bytes);
    if (!aligned(of_.matrix) || each < 2) return;
    for (std::size_t i = 1; i < x_.size(); ++i)
      if (axes_.columns[i] % each == 0 && axes_.columns[i] == axes_.columns[i - 1] + 1)
        draft_.line(fmt::format("close_up.sector.{}", axes_.columns[i]),
                    {{x_[i] - 0.5f, y_.front()}, {x_[i] - 0.5f, y_.back() + side_ - 1}},
                    Ink::of(Role::Text, 0.45f), 1);
  }

  void beyond(int lane, const MatrixPlace& p) {
    const auto row = std::find(axes_.rows.begin(), axes_.rows.end(), p.first);
    const auto column = std::find(axes_.columns.begin(), axes_.columns.end(), p.second);
    if (row == axes_.rows.end() || column == axes_.columns.end()) return;
    const Rect box{x_[static_cast<std::size_t>(column - axes_.columns.begin())],
                   y_[static_cast<std::size_t>(row - axes_.rows.begin())], side_ - 1, side_ - 1};
    Shape& s =
        draft_.frame(fmt::format("close_up.beyond.{}", lane), inset(box, 1, 1), Ink::of(Role::Warn), 1, 1);
    s.dashed = true;
    s.target.lane = lane;
    s.target.warp = of_.access.warp;
    s.tooltip = draft_.say(
        "view.matrix.lane_beyond",
        {{"lane", value_of(lane)}, {"place", fmt::format("{}[{}][{}]", of_.matrix.name, p.first, p.second)}});
  }

  Draft& draft_;
  const Rect r_;
  const CloseUp& of_;
  const std::set<MatrixPlace> fetched_;
  Axes axes_;
  std::vector<float> x_, y_;  // of columns and rows
  float side_ = 0;
};

}  // namespace

bool fetches_unused(const CloseUp& of) {
  const auto fetched = fetched_with(of);
  return trace::is_load(of.access.kind) &&
         std::any_of(fetched.begin(), fetched.end(), [&](const auto& p) { return !of.lanes.contains(p); });
}

void draw_close_up(Draft& draft, const Rect& r, const CloseUp& of) {
  Picture(draft, r, of).draw();
}

}  // namespace warplens::visual
