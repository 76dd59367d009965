// What views of passes draw alike: the 32 lanes as a row of chips, and a cell that one lane or several have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "visual/layout.h"

namespace warplens::visual {

// A datum of one lane in its colour and with its number, or of several lanes: in slices of their colours,
// with how many they are.
struct LaneCell {
  std::string id;  // of the slices: id.LANE
  Rect box;
  LaneMask lanes = 0;
  float alpha = 1;  // below 1 the cell hides what lies behind it all the same
  std::string tip = {};
  Target target = {};  // of each slice, with its lane
};
void draw_lane_cell(Draft& draft, const LaneCell& cell);

// Lanes in their order; the ones that take no part are outlines. `faded`: those that are not in question.
struct LaneChips {
  Rect row;
  float gap = 3;
  LaneMask active = 0;
  std::function<bool(LaneMask)> faded;
  std::function<std::string(int lane)> tip;
};
void draw_lane_chips(Draft& draft, const LaneChips& chips);

}  // namespace warplens::visual
