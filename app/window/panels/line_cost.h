// What a line of code costs, written at the end of its last row: one number for loads and one for stores, in
// the unit of what the line wastes.
#pragma once

#include <string>

#include "app/window/panels/ui.h"

namespace warplens::window {

// How the code beside it is written, logical pixels. An earlier cost has lost its colour: it is no verdict on
// what stands there now.
struct CostLook {
  float line = 20, size = 13, small = 11;
  bool earlier = false;
};

// All accesses of the line, how often it ran and its share of the launch, a line each.
std::string cost_tip(const Ui& ui, const LineCost& cost);
// How far it reaches to the left of its right end, with a gap before it.
float cost_width(const Ui& ui, const Pen& pen, const LineCost& cost, const CostLook& look);
void draw_cost(const Ui& ui, Pen& pen, const LineCost& cost, const CostLook& look, float right, float y);

}  // namespace warplens::window
