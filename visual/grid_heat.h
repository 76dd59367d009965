// Every warp of the launch as a picture: blocks stand where they stand in the grid, the warps of a block
// where its threads are, so that a kernel over an image shows the image of its cost.
#pragma once

#include <functional>
#include <vector>

#include "visual/layout.h"
#include "visual/warp_totals.h"

namespace warplens::visual {

// What is idle or executed by one warp.
double loss_of(const WarpTotal& total, Measure measure);

struct GridSum {
  double cost = 0, slots = 0, most = 0;  // over all warps; most of one
  double least = 0;
  std::vector<WarpCost> worst;  // the worst first, as many as were asked for; without a step
};
GridSum sum_up(const WarpTotals& totals, Measure measure, std::size_t ranked = 16);

struct GridHeat {
  const WarpTotals& totals;
  Measure measure = Measure::Instructions;
  double most = 0;
  Ink (*ink)(Measure measure, double share) = nullptr;              // share 0 to 1
  std::function<std::string(const WarpCost& warp, int warps)> tip;  // of a cell; warps it stands for
  Selection selection;
};
void draw_grid_heat(Draft& draft, const Rect& r, const GridHeat& heat);

}  // namespace warplens::visual
