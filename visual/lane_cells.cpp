#include "visual/lane_cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace warplens::visual {

void draw_lane_cell(Draft& draft, const LaneCell& cell) {
  const Rect& r = cell.box;
  std::vector<int> lanes;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (cell.lanes >> lane & 1u) lanes.push_back(lane);
  if (lanes.empty()) return;
  const auto slices = static_cast<int>(std::min<std::size_t>(lanes.size(), r.width > 24 ? 8 : 4));
  if (cell.alpha < 1) draft.box(cell.id + ".ground", r, Ink::of(Role::Ground), 3);
  for (int i = 0; i < slices; ++i) {
    const int lane = lanes[static_cast<std::size_t>(i) * lanes.size() / static_cast<std::size_t>(slices)];
    Shape& s = draft.box(fmt::format("{}.{}", cell.id, lane), cell_of(r, i, slices, 0),
                         Ink::of_lane(lane, cell.alpha), slices == 1 && r.height > 6 ? 3.0f : 0.0f);
    s.target = cell.target;
    s.target.lane = lane;
    s.tooltip = cell.tip;
  }
  if (r.height < 13) return;
  const std::string word = lanes.size() == 1 ? std::to_string(lanes[0]) : fmt::format("×{}", lanes.size());
  if (!draft.fits(lanes.size() == 1 ? "28" : word, r.width - 1, kTiny, Face::SansBold)) return;
  Ink ink{Role::OnLane, 1, static_cast<std::uint8_t>(lanes[0])};
  if (cell.alpha < 1) ink = Ink::of(cell.alpha < 0.25f ? Role::Dim : Role::Text);
  const float size = draft.largest_size("28", r.width - 4, r.height - 3, kHeading, Face::SansBold);
  if (lanes.size() > 1) {
    const float wide = std::min(r.width, draft.width(word, size, Face::SansBold) + 6);
    const float high = std::min(r.height, size + 4);
    draft.box(cell.id + ".pill", {r.x + (r.width - wide) / 2, r.y + (r.height - high) / 2, wide, high},
              Ink::of(Role::Ground, 0.85f), 3);
    ink = Ink::of(Role::Text);
  }
  draft.text(
      cell.id + ".lane", r, word,
      {draft.fits(word, r.width, size, Face::SansBold) ? size : kTiny, Face::SansBold, ink, Align::Centre});
}

void draw_lane_chips(Draft& draft, const LaneChips& chips) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Rect r = cell_of(chips.row, lane, kWarpSize, chips.gap);
    const LaneMask bit = LaneMask{1} << lane;
    const bool on = chips.active & bit, faded = chips.faded(bit);
    Shape& s = on ? draft.box(fmt::format("lane.{}", lane), r, Ink::of_lane(lane, faded ? 0.35f : 1.0f), 4)
                  : draft.frame(fmt::format("lane.{}", lane), r, Ink::of(Role::Line), 1, 4);
    s.dashed = !on;
    s.target.lane = lane;
    s.tooltip = on ? chips.tip(lane) : draft.say("view.access.lane_off", {{"lane", value_of(lane)}});
    const Ink ink = on && !faded ? Ink{Role::OnLane, 1, static_cast<std::uint8_t>(lane)} : Ink::of(Role::Dim);
    // Narrow chips: every fourth number, over the edges of its own chip.
    const bool narrow = !draft.fits("28", r.width - 1, kTiny, Face::SansBold);
    if (narrow && lane % 4 != 0) continue;
    draft.text(fmt::format("lane.{}.number", lane), narrow ? inset(r, -3, 0) : r, std::to_string(lane),
               {draft.largest_size("28", r.width - 4, r.height - 4, kHeading, Face::SansBold), Face::SansBold,
                ink, Align::Centre});
  }
}

}  // namespace warplens::visual
