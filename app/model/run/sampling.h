// Which blocks of a launch are run when it is too large to run whole.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/trace/launch.h"

namespace warplens::model {

// Threads that are run without sampling; a larger launch is sampled unless the user names a number of blocks.
inline constexpr std::uint64_t kThreadsRunWhole = std::uint64_t{1} << 28;

// Blocks that are sampled unless the user names a number: more tell nothing more, and each takes memory.
inline constexpr std::uint64_t kMostSampled = std::uint64_t{1} << 20;

// `wanted` blocks spread evenly over the grid, first and last included; 0 chooses by itself. Empty means
// every block: the launch is run whole.
std::vector<std::uint64_t> sampled_blocks(const trace::Launch& launch, std::uint64_t wanted);

}  // namespace warplens::model
