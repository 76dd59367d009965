// Bytes between the levels of the memory: what lanes moved is counted over the whole launch, what caches make
// of it is modelled from the traced blocks.
//
//   const visual::LevelTraffic t = level_traffic(run, device, capability);
//   t.dram_bytes();   // unset where nothing is known
#pragma once

#include "app/model/pipeline.h"
#include "engine/analysis/device.h"
#include "visual/view.h"

namespace warplens::model {

// What the traced blocks miss is applied to the bytes of the whole launch. Blocks that were not traced share
// data with those that were, so DRAM's bytes are an upper bound where all buffers fit into L2 together: never
// more than every buffer that is read once, and every buffer that is written once.
visual::LevelTraffic level_traffic(const Run& run, const analysis::Device& device,
                                   const analysis::ComputeCapability& capability);

// 32 bytes for each sector that lanes moved, global and local, over the whole launch.
double lane_bytes(const analysis::Totals& totals);

}  // namespace warplens::model
