// Which thread is which lane of which warp? The block as the programmer shaped it, every slice of it (z) a
// sheet, cut into warps where the hardware cuts it: threads are numbered x first, then y, then z, and every
// 32 of them are a warp. One warp is in the light; its lanes stand in a row below, each with its thread, so
// that the strange shape that a warp has in the block and the plain row that it is are seen together.
//
// Small panes lose, in this order: the sentence, the numbers in the cells.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "visual/layout.h"
#include "visual/pick.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr float kSheetName = 18, kSheetGap = 24;
constexpr float kMostThread = 56, kWarpName = 62;
constexpr float kLowWarpRow = 26;  // a lane's number can be read
constexpr float kLeastLane = 11, kNumberedLane = 15, kLeastWarpRow = 13,
                kMostWarpRow = 40;  // of a row of all warps

class ThreadsView {
 public:
  ThreadsView(const ViewContext& context, const ViewInput& input)
      : draft_(context), input_(input), shape_(input.report ? input.report->launch.block : Dim3{}) {}

  Scene run() {
    if (!input_.report) {
      Rect rest = draft_.header({.title = draft_.say("view.threads.title")});
      draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.empty.advice"));
      return draft_.finish(draft_.say("view.empty.headline"));
    }
    threads_ = shape_.volume();
    warps_ = static_cast<std::uint32_t>((threads_ + kWarpSize - 1) / kWarpSize);
    folded_ = shape_.y == 1 && shape_.z == 1;
    columns_ = folded_ ? std::min<std::uint32_t>(shape_.x, kWarpSize) : shape_.x;
    rows_ = folded_ ? warps_ : shape_.y;
    find_warp();
    Rect rest = header();
    const std::string words = sentence();
    const float height = draft_.sentence_height(words, rest.width, 2);
    if (rest.height - height > 260) draft_.sentence("words", take_bottom(rest, height, 12), words);
    float wide = width_of_rows(rest);
    // Rows without numbers do not tell who is who.
    const bool numbered = wide > kWarpName + kNumberedLane * kWarpSize;
    if (!numbered && rest.height > 150) {
      // Under a low block there is room for all of its warps, else for the one in the light.
      const float all = height_of_rows(rest);
      if (all > 0)
        all_rows(take_bottom(rest, all, 16));
      else
        warp_row(take_bottom(rest, 58, 16));
      wide = all > 0 ? 0 : width_of_rows(rest);
    }
    if (wide > 0) all_rows(take_right(rest, wide, 16));
    sheets(rest);
    return draft_.finish(words);
  }

 private:
  // The chosen warp, else the one at the cursor.
  void find_warp() {
    const trace::Trace* trace = input_.trace;
    const bool at_cursor = trace && input_.cursor.step < trace->size();
    if (at_cursor) {
      const trace::Step& step = trace->steps()[input_.cursor.step];
      warp_ = step.warp;
      block_ = trace->block_of(input_.cursor.step);
    }
    if (input_.selection.warp) warp_ = *input_.selection.warp;
    if (input_.selection.block) block_ = *input_.selection.block;
    if (input_.hover.warp) warp_ = *input_.hover.warp;
    warp_ = std::min(warp_, warps_ - 1);
    if (at_cursor && trace->steps()[input_.cursor.step].warp == warp_ &&
        trace->steps()[input_.cursor.step].kind != trace::StepKind::Barrier)
      active_ = trace->steps()[input_.cursor.step].active;
  }

  std::uint64_t lanes_of(std::uint32_t warp) const {
    return std::min<std::uint64_t>(kWarpSize, threads_ - std::uint64_t{warp} * kWarpSize);
  }

  Rect header() {
    const std::uint64_t last = lanes_of(warps_ - 1);
    return draft_.header({.title = draft_.say("view.threads.title"),
                          .about = draft_.say("view.threads.about", {{"x", value_of(shape_.x)},
                                                                     {"y", value_of(shape_.y)},
                                                                     {"z", value_of(shape_.z)},
                                                                     {"n", value_of(threads_)},
                                                                     {"block", value_of(block_)}}),
                          .answer = draft_.say_count("view.threads.answer", warps_),
                          .sub = last < kWarpSize ? draft_.say("view.threads.last", {{"n", value_of(last)}})
                                                  : draft_.say("view.threads.all_full"),
                          .worse = last < kWarpSize,
                          .evidence = Evidence::Counted});
  }

  // The thread that is pointed at, else the first of the warp.
  int lane_in_light() const {
    const LaneMask meant = focused_lanes(input_);
    for (int lane = 0; lane < static_cast<int>(lanes_of(warp_)); ++lane)
      if (meant >> lane & 1u) return lane;
    return 0;
  }

  std::string sentence() const {
    const int lane = lane_in_light();
    const std::uint64_t number = std::uint64_t{warp_} * kWarpSize + static_cast<std::uint64_t>(lane);
    const Dim3 t = unflatten(number, shape_);
    const std::string formula = shape_.z > 1
                                    ? fmt::format("{} + {}·({} + {}·{})", t.x, shape_.x, t.y, shape_.y, t.z)
                                : shape_.y > 1 ? fmt::format("{} + {}·{}", t.x, shape_.x, t.y)
                                               : std::to_string(t.x);
    return draft_.say("view.threads.words", {{"thread", index_text(t)},
                                             {"formula", formula},
                                             {"number", value_of(number)},
                                             {"warp", value_of(warp_)},
                                             {"lane", value_of(lane)}});
  }

  struct SheetPlan {
    float side = 0;  // of a thread
    int across = 1;  // sheets in a row
  };

  // The sheets as large as they can be, in as many rows as that takes.
  SheetPlan plan(const Rect& r) const {
    const int count = static_cast<int>(shape_.z);
    SheetPlan best;
    for (int columns = 1; columns <= count; ++columns) {
      const int rows = (count + columns - 1) / columns;
      const float wide = (r.width - kSheetGap * static_cast<float>(columns - 1)) /
                         static_cast<float>(columns) / static_cast<float>(columns_);
      const float high = (r.height / static_cast<float>(rows) - kSheetName - 8) / static_cast<float>(rows_);
      if (std::min(wide, high) > best.side) best = {std::min(wide, high), columns};
    }
    best.side = std::min(best.side, kMostThread);
    return best;
  }

  // What the rows of all warps may take beside the sheets; 0: there is no room. A block of one dimension
  // stands in rows of 32 already.
  float width_of_rows(const Rect& r) const {
    const float least = kWarpName + kLeastLane * kWarpSize + 24;
    if (folded_ || r.width < 1.6f * least || r.height < 200) return 0;
    const SheetPlan whole = plan({r.x, r.y, r.width, r.height - 74}),
                    narrow = plan({r.x, r.y, r.width - least, r.height});
    if (narrow.side < 0.8f * whole.side) return 0;
    const float sheets =
        static_cast<float>(narrow.across) * (static_cast<float>(columns_) * narrow.side + kSheetGap) + 48;
    return std::clamp(r.width - sheets, least, kWarpName + kMostWarpRow * kWarpSize);
  }

  // What the rows of all warps take under the sheets, with the lanes' threads in them; 0: there is no room
  // that the sheets leave. A block of one dimension stands in rows of 32 already.
  float height_of_rows(const Rect& r) const {
    if (folded_ || warps_ < 2 || r.width < kWarpName + kNumberedLane * kWarpSize) return 0;
    const SheetPlan whole = plan(r);
    const auto rows = static_cast<float>((static_cast<int>(shape_.z) + whole.across - 1) / whole.across);
    const float sheets = rows * (static_cast<float>(rows_) * whole.side + kSheetName + 16);
    const float least = 18 + static_cast<float>(warps_) * kLowWarpRow;
    return r.height - sheets - 16 >= least
               ? std::min(r.height - sheets - 16, 18 + static_cast<float>(warps_) * kMostWarpRow)
               : 0;
  }

  void sheets(const Rect& r) {
    const int count = static_cast<int>(shape_.z);
    const auto x = static_cast<float>(columns_), y = static_cast<float>(rows_);
    const auto [side, across] = plan(r);
    right_ = r.right();
    if (side < 1.5f) return;
    const float pitch = r.height / static_cast<float>((count + across - 1) / across);
    for (int z = 0; z < count; ++z) {
      const Rect sheet_box{r.x + static_cast<float>(z % across) * (x * side + kSheetGap),
                           r.y + static_cast<float>(z / across) * std::min(pitch, y * side + kSheetName + 16),
                           x * side, y * side + kSheetName};
      sheet(static_cast<std::uint32_t>(z), sheet_box, side);
    }
  }

  void sheet(std::uint32_t z, Rect r, float side) {
    const std::string name = folded_        ? draft_.say("view.threads.sheet_folded")
                             : shape_.z > 1 ? draft_.say("view.threads.sheet_z", {{"z", value_of(z)}})
                                            : draft_.say("view.threads.sheet");
    // A sheet of a few threads has no room for its whole name, or for any.
    const float room =
        std::min(shape_.z > 1 ? r.width + kSheetGap - 6 : std::max(r.width, 240.0f), right_ - r.x);
    const std::string title = draft_.fits(name, room, kTiny, Face::SansBold) ? name : fmt::format("z {}", z);
    if (draft_.fits(title, room, kTiny, Face::SansBold))
      draft_.text(fmt::format("sheet.{}", z), {r.x, r.y, room, 16}, title,
                  {kTiny, Face::SansBold, Ink::of(Role::Dim), Align::Left});
    take_top(r, kSheetName);
    for (std::uint32_t row = 0; row < rows_; ++row)
      for (std::uint32_t column = 0; column < columns_; ++column)
        if (const auto t = thread_at(column, row, z))
          thread(*t,
                 {r.x + static_cast<float>(column) * side, r.y + static_cast<float>(row) * side, side, side});
    cuts(z, r, side);
    warp_names(z, r, side);
  }

  // The thread that a cell stands for. A block of one dimension is folded, 32 threads in a row.
  std::optional<Dim3> thread_at(std::uint32_t column, std::uint32_t row, std::uint32_t z) const {
    if (!folded_) return Dim3{column, row, z};
    const std::uint32_t x = row * static_cast<std::uint32_t>(kWarpSize) + column;
    return x < shape_.x ? std::optional(Dim3{x, 0, 0}) : std::nullopt;
  }
  std::uint32_t row_of(Dim3 t) const { return folded_ ? t.x / static_cast<std::uint32_t>(kWarpSize) : t.y; }
  std::uint64_t number_of(Dim3 t) const {
    return t.x + std::uint64_t{shape_.x} * (t.y + std::uint64_t{shape_.y} * t.z);
  }
  std::uint32_t warp_of(Dim3 t) const { return static_cast<std::uint32_t>(number_of(t) / kWarpSize); }

  void thread(Dim3 t, const Rect& r) {
    const std::uint64_t number = number_of(t);
    const auto warp = warp_of(t);
    const int lane = static_cast<int>(number % kWarpSize);
    const bool lit = warp == warp_;
    const bool waits = lit && (active_ >> lane & 1u) == 0;
    const float gap = r.width > 8 ? 1.0f : 0.0f;
    Shape& s =
        draft_.box(fmt::format("thread.{}", number), {r.x, r.y, r.width - gap, r.height - gap},
                   Ink::of_lane(lane, lit ? (waits ? 0.45f : 1.0f) : 0.30f), r.width > 14 ? 2.0f : 0.0f);
    point_at(s, t, number, warp, lit);
    if (r.width < 17) return;
    const bool faint = !lit || waits;
    draft_.text(
        fmt::format("thread.{}.n", number), {r.x, r.y, r.width - gap, r.height - gap}, std::to_string(lane),
        {r.width > 34 ? kSmall : kTiny, Face::Mono,
         faint ? Ink::of(Role::Text) : Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)}, Align::Centre});
  }

  // Where one warp ends and the next begins.
  void cuts(std::uint32_t z, const Rect& r, float side) {
    const float thick = side > 14 ? 2.0f : 1.0f;
    const auto line = [&](const char* way, std::uint32_t x, std::uint32_t y, Point a, Point b, bool lit) {
      draft_.line(fmt::format("cut.{}.{}.{}.{}", way, z, x, y), {a, b},
                  Ink::of(lit ? Role::Accent : Role::Text, lit ? 1.0f : 0.55f), lit ? thick + 1 : thick);
    };
    const auto warp_at = [&](std::uint32_t column, std::uint32_t row) -> std::optional<std::uint32_t> {
      const auto t = thread_at(column, row, z);
      return t ? std::optional(warp_of(*t)) : std::nullopt;
    };
    for (std::uint32_t row = 0; row < rows_; ++row)
      for (std::uint32_t column = 0; column < columns_; ++column) {
        const auto here = warp_at(column, row);
        if (!here) continue;
        const float left = r.x + static_cast<float>(column) * side,
                    top = r.y + static_cast<float>(row) * side;
        if (const auto before = column > 0 ? warp_at(column - 1, row) : here; before != here)
          line("x", column, row, {left - 0.5f, top}, {left - 0.5f, top + side - 1},
               here == warp_ || before == warp_);
        if (const auto above = row > 0 ? warp_at(column, row - 1) : here; above != here)
          line("y", column, row, {left, top - 0.5f}, {left + side - 1, top - 0.5f},
               here == warp_ || above == warp_);
      }
  }

  // Beside the sheet, at the row in which a warp begins, where there is room.
  void warp_names(std::uint32_t z, const Rect& r, float side) {
    if (shape_.z > 1) return;
    const float room = right_ - r.right() - 8;
    float next = r.y - 1;
    for (std::uint32_t warp = 0; warp < warps_; ++warp) {
      const Dim3 first = unflatten(std::uint64_t{warp} * kWarpSize, shape_);
      const float y = r.y + static_cast<float>(row_of(first)) * side;
      if (first.z != z || y < next) continue;
      const std::string name = draft_.say("view.threads.warp", {{"n", value_of(warp)}});
      if (draft_.width(name, kTiny) + 2 > room) return;
      Shape& s = draft_.text(fmt::format("warp.{}", warp),
                             {r.right() + 8, y + (side > 16 ? (side - 16) / 2 : 0), room, 14}, name,
                             {kTiny, warp == warp_ ? Face::SansBold : Face::Sans,
                              Ink::of(warp == warp_ ? Role::Accent : Role::Dim), Align::Left});
      s.target.block = block_;
      s.target.warp = warp;
      next = y + 15;
    }
  }

  // The warp in the light as the row of 32 that it is; lanes without a thread are empty.
  void warp_row(Rect r) {
    const Rect caption = take_top(r, 16, 2);
    const float gap = r.width > 1000 ? 2.0f : 1.0f;
    const bool places = has_places(warp_, cell_of(r, 0, kWarpSize, gap));
    draft_.caption(
        "row.caption", caption,
        draft_.say(places ? "view.threads.row" : "view.threads.row_plain", {{"n", value_of(warp_)}}));
    for (int lane = 0; lane < kWarpSize; ++lane)
      lane_cell(fmt::format("lane.{}", lane), warp_, lane, cell_of(r, lane, kWarpSize, gap), places);
  }

  // Every warp as such a row; of more than have room those around the one in the light.
  void all_rows(Rect r) {
    draft_.caption("rows.caption", take_top(r, 16, 2), draft_.say("view.threads.rows"));
    const auto most = static_cast<std::uint32_t>(std::max(1.0f, r.height / kLeastWarpRow));
    const std::uint32_t shown = std::min(warps_, most);
    const std::uint32_t first = std::min(warp_ > shown / 2 ? warp_ - shown / 2 : 0, warps_ - shown);
    const float pitch = std::min(kMostWarpRow, r.height / static_cast<float>(shown));
    // All of them say which threads they are, or none.
    const auto lane_of = [&](Rect row) {
      take_left(row, kWarpName);
      row.height = pitch - (pitch > 20 ? 3 : 1);
      return cell_of(row, 0, kWarpSize, row.width > 640 ? 2.0f : 1.0f);
    };
    bool places = true;
    for (std::uint32_t warp = first; warp < first + shown && places; ++warp)
      places = has_places(warp, lane_of(r));
    for (std::uint32_t warp = first; warp < first + shown; ++warp) {
      Rect row = take_top(r, pitch);
      const Rect name = take_left(row, kWarpName);
      const bool lit = warp == warp_;
      Shape& s = draft_.text(
          fmt::format("rows.{}", warp), {name.x, name.y + (pitch - 15) / 2, name.width - 6, 14},
          draft_.say("view.threads.warp", {{"n", value_of(warp)}}),
          {kTiny, lit ? Face::SansBold : Face::Sans, Ink::of(lit ? Role::Accent : Role::Dim), Align::Left});
      s.target.block = block_;
      s.target.warp = warp;
      row.height -= pitch > 20 ? 3 : 1;
      const float gap = row.width > 640 ? 2.0f : 1.0f;
      for (int lane = 0; lane < kWarpSize; ++lane)
        lane_cell(fmt::format("rows.{}.{}", warp, lane), warp, lane, cell_of(row, lane, kWarpSize, gap),
                  places);
    }
  }

  std::string place_text(Dim3 t) const {
    return shape_.z > 1   ? fmt::format("{},{},{}", t.x, t.y, t.z)
           : shape_.y > 1 ? fmt::format("{},{}", t.x, t.y)
                          : std::to_string(t.x);
  }

  // Whether the lanes of a row have room for their threads: all of them or none.
  bool has_places(std::uint32_t warp, const Rect& cell) const {
    float widest = 0;
    for (std::uint64_t lane = 0; lane < lanes_of(warp); ++lane)
      widest = std::max(
          widest, draft_.width(place_text(unflatten(std::uint64_t{warp} * kWarpSize + lane, shape_)), kTiny));
    return cell.height > 34 && widest + 3 <= cell.width;
  }

  // A thread's cell, in the block or in its warp's row: what it leads to, says and marks.
  void point_at(Shape& s, const Dim3& t, std::uint64_t number, std::uint32_t warp, bool lit) const {
    const int lane = static_cast<int>(number % kWarpSize);
    s.target.block = block_;
    s.target.warp = warp;
    s.target.lane = lane;
    s.tooltip = draft_.say("view.threads.tip", {{"thread", index_text(t)},
                                                {"number", value_of(number)},
                                                {"warp", value_of(warp)},
                                                {"lane", value_of(lane)}});
    if (lit && (focused_lanes(input_) >> lane & 1u)) {
      s.stroke = Ink::of(Role::Text);
      s.stroke_width = 2;
    }
  }

  void lane_cell(const std::string& id, std::uint32_t warp, int lane, const Rect& cell, bool two) {
    const std::uint64_t number = std::uint64_t{warp} * kWarpSize + static_cast<std::uint64_t>(lane);
    const float round = std::min(3.0f, cell.height / 6);
    if (static_cast<std::uint64_t>(lane) >= lanes_of(warp)) {
      Shape& s = draft_.frame(id, cell, Ink::of(Role::Warn), 1, round);
      s.dashed = true;
      s.tooltip = draft_.say("view.threads.no_thread", {{"lane", value_of(lane)}});
      return;
    }
    const bool lit = warp == warp_, waits = lit && (active_ >> lane & 1u) == 0;
    const Dim3 t = unflatten(number, shape_);
    Shape& s = draft_.box(id, cell, Ink::of_lane(lane, waits ? 0.45f : lit ? 1.0f : 0.30f), round);
    point_at(s, t, number, warp, lit);
    const Ink ink =
        waits || !lit ? Ink::of(Role::Text) : Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)};
    if (cell.width > 14 && cell.height >= 13)
      draft_.text(id + ".n", {cell.x, cell.y + (two ? 1.0f : 0.0f), cell.width, two ? 18 : cell.height},
                  std::to_string(lane), {kTiny, lit ? Face::MonoBold : Face::Mono, ink, Align::Centre});
    if (two)
      draft_.text(id + ".thread", {cell.x, cell.y + 19, cell.width, 15}, place_text(t),
                  {kTiny, Face::Sans, ink, Align::Centre});
  }

  Draft draft_;
  const ViewInput& input_;
  const Dim3 shape_;
  std::uint64_t threads_ = 1, block_ = 0;
  std::uint32_t warps_ = 1, warp_ = 0;
  std::uint32_t columns_ = 1, rows_ = 1;  // of cells in a sheet
  float right_ = 0;                       // of the space for the sheets
  bool folded_ = false;
  LaneMask active_ = kFullMask;
};

}  // namespace

Scene threads_view(const ViewContext& context, const ViewInput& input) {
  return ThreadsView(context, input).run();
}

bool threads_applies(const ViewInput& input) {
  return input.report && input.report->launch.block.volume() <= 1024;
}

}  // namespace warplens::visual
