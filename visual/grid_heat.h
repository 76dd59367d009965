// Every warp of the launch as a picture: blocks stand where they stand in the grid, the warps of a block
// where its threads are, so that a kernel over an image shows the image of its cost. Where there are more
// warps than can be told apart, a cell stands for the worst of several.
#pragma once

#include <functional>
#include <string>

#include "visual/layout.h"
#include "visual/warp_totals.h"

namespace warplens::visual {

struct GridHeat {
  const WarpTotals& totals;
  std::function<double(const WarpCost& warp)> share;  // of the strongest colour, 0 to 1
  std::function<Ink(double share)> ink;
  std::function<std::string(const WarpCost& warp, int warps)> tip;  // of a cell; warps it stands for
  std::function<std::string(const WarpCost& warp)> number;          // in cells of one warp that have room
  Selection selection;
};
// Returns its height.
float draw_grid_heat(Draft& draft, const Rect& r, const GridHeat& heat);

}  // namespace warplens::visual
