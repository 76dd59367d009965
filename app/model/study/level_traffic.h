// Bytes between the levels of the memory: what lanes moved is counted over the whole launch, what caches make
// of it is modelled (modelled.h).
//
//   const visual::LevelTraffic t = level_traffic(run, device, capability);
//   t.dram_bytes();   // unset where nothing is known
#pragma once

#include "app/model/run/pipeline.h"
#include "engine/analysis/device.h"
#include "visual/view.h"

namespace warplens::model {

// Of a long launch the first blocks are modelled; the others find in L2 what these brought, so DRAM's bytes
// are an upper bound where all buffers fit into L2 together.
visual::LevelTraffic level_traffic(const Run& run, const analysis::Device& device,
                                   const analysis::ComputeCapability& capability);

// 32 bytes for each sector that lanes moved, global and local, over the whole launch.
double lane_bytes(const analysis::Totals& totals);
// Of all buffers among the arguments.
double buffer_bytes(const trace::Launch& launch);

}  // namespace warplens::model
