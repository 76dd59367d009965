// What the workers of a launch counted and found, put together in the order of blocks, so that it does not
// depend on how many they were.
#pragma once

#include <memory>
#include <vector>

#include "engine/simt/emulator.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

// Counts, faults, notes and what printf wrote. Takes the faults out of the workers.
void collect(const LaunchState& state, std::vector<std::unique_ptr<Worker>>& workers, Outcome& outcome);

}  // namespace warplens::simt
