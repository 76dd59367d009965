// The lower part of the occupancy view: what would change it. Over the block size what fits, each bar in the
// colour of what rules there, with the time that such blocks take, by the model and by the clock, and the
// size that the runtime would suggest; over registers what fits, and what ptxas really makes of the kernel
// when it may use fewer; over shared memory what fits.
#pragma once

#include "engine/analysis/occupancy.h"
#include "visual/layout.h"
#include "visual/occupancy_lab.h"

namespace warplens::visual {

struct OccupancyFacts {
  const analysis::ComputeCapability& capability;
  const analysis::KernelResources& kernel;
  const analysis::Occupancy& state;
  const OccupancyLab* lab = nullptr;  // null: nothing has been tried out
};

void draw_occupancy_curves(Draft& draft, Rect area, const OccupancyFacts& facts);

}  // namespace warplens::visual
