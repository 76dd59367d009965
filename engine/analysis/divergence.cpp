#include "engine/analysis/divergence.h"

namespace warplens::analysis {
double ExecutionCounts::average_active_lanes() const {
  if (of_machine()) return machine_thread_instructions / machine_warp_instructions;
  return warp_instructions == 0
             ? 0.0
             : static_cast<double>(thread_instructions) / static_cast<double>(warp_instructions);
}

double ExecutionCounts::efficiency() const {
  return average_active_lanes() / kWarpSize;
}

}  // namespace warplens::analysis
