// What the grid view says of every warp of a launch: their counts, and what these come to by each measure.
// A walk over up to a million warps, so it is made once a run, off the frame.
//
//   const WarpTotals totals = sum_up(counter.warps());
//   totals.by(Measure::Sectors).most;   // what the worst warp loses
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/analysis/warp_totals.h"
#include "visual/view.h"

namespace warplens::visual {

// Of all warps by one measure. A loss is what is over the ideal; by instructions, which have none, what there
// is.
struct GridSum {
  double cost = 0, ideal = 0, slots = 0;  // lane-slots of everything executed
  double least_cost = 0, most_cost = 0;   // of one warp
  double least = 0, most = 0;             // loss of one warp
  double spread = 0;                      // mean distance from the mean cost, as a share of that
  std::vector<WarpCost> worst;            // by loss, then by cost, the worst first; without a step
};

struct WarpTotals {
  std::shared_ptr<const analysis::WarpTotals> counts;
  std::array<GridSum, 5> sums;
  bool emulated = false;  // beside a trace of the hardware, which has only the traced blocks

  const GridSum& by(Measure measure) const;
  WarpCost at(std::size_t index) const;  // by linear block, then warp
};
WarpTotals sum_up(std::shared_ptr<const analysis::WarpTotals> counts, std::size_t ranked = 16);

// What a warp loses by a measure.
double loss_of(const WarpCost& warp, Measure measure);

}  // namespace warplens::visual
