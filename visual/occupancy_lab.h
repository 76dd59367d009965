// What the occupancy view needs besides the report: how long the launch takes at other block sizes, and how
// ptxas lives with fewer registers. Found out by trying, in the background.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/measured_on.h"

namespace warplens::visual {

// The same launch with other block sizes.
struct BlockSizeTime {
  int threads = 0;
  double us = 0;
};
struct BlockSizeTimes {
  std::vector<BlockSizeTime> times;  // ascending threads, two at least
  std::string note = {};             // where from, at which size: "recorded on 2026-11-22, n 16,777,216"
  MeasuredOn on = {};                // of measured ones
  const BlockSizeTime& best() const { return *std::ranges::min_element(times, {}, &BlockSizeTime::us); }
};

// What ptxas makes of the kernel under a bound.
struct CompiledBound {
  enum class Kind : std::uint8_t {
    AsWritten,      // with what the text says of itself
    LaunchBounds,   // __launch_bounds__(threads of this block, bound)
    MostRegisters,  // --maxrregcount=bound
  };
  Kind kind = Kind::AsWritten;
  int bound = 0;
  int registers = 0;                      // that a launch gives each thread
  int spill_stores = 0, spill_loads = 0;  // bytes a thread, as ptxas reports them
  bool spills() const { return spill_stores > 0 || spill_loads > 0; }
};

struct OccupancyLab {
  std::optional<BlockSizeTimes> modelled, measured;
  std::vector<CompiledBound> compiled;  // as written first; empty: nothing was compiled
  std::string no_compiler = {};         // why not, in the user's language
};

}  // namespace warplens::visual
