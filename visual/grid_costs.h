// What each traced warp cost: the data of the grid overview. It walks the whole trace, so it belongs on a
// worker's thread, once a run.
//
//   GridCosts costs = collect_grid_costs(trace);
//   input.grid = &costs;
#pragma once

#include <string>

#include "visual/view.h"

namespace warplens::visual {

GridCosts collect_grid_costs(const trace::Trace& trace);

// Adds one step of the trace, as the machine executes it; of accesses and branches only.
void add_step(WarpCost& cost, const trace::Trace& trace, std::size_t step);

// "sectors", "wavefronts", "constants", "idle" or "instructions": what its texts in the catalogue end with.
std::string key_of(Measure measure);
// The measure that shows the greatest loss of a run: what Measure::Automatic stands for.
Measure costliest(const GridCosts& costs);

// How the numbers of a measure are known in this run; where there is no report, in the sites of the trace.
Known known_of(const ViewInput& input, Measure measure);

// Cost of a warp, a site or a line by a measure, and the least it could have been (equal where there is no
// ideal).
struct CostAndIdeal {
  double cost = 0, ideal = 0;
};
template <typename Counts>
CostAndIdeal cost_of(const Counts& counts, Measure measure) {
  switch (measure) {
    case Measure::Wavefronts:
      return {static_cast<double>(counts.wavefronts), static_cast<double>(counts.wavefronts_ideal)};
    case Measure::Constants:
      return {static_cast<double>(counts.constants), static_cast<double>(counts.constants_ideal)};
    case Measure::IdleLanes:
      return {static_cast<double>(counts.executions * kWarpSize - counts.lanes), 0};
    case Measure::Instructions:
      return {static_cast<double>(counts.executions), static_cast<double>(counts.executions)};
    default:
      return {static_cast<double>(counts.sectors), static_cast<double>(counts.sectors_ideal)};
  }
}

}  // namespace warplens::visual
