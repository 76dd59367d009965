// Other accesses laid over the one that the address map shows: bytes of the same sectors that this warp uses
// elsewhere, and where the other warps of the block are in the array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/coalescing.h"
#include "visual/pick.h"

namespace warplens::visual {

struct OtherUse {
  std::vector<std::uint32_t> bytes;  // of each sector: bit i is set when another access uses byte i
  std::uint64_t extra = 0;           // bytes that only the others use
  int accesses = 0;                  // that use any byte of these sectors
};
// Looks at the accesses of this warp near the shown one, before and after it; cost does not depend on the
// trace.
OtherUse used_by_others(const ViewInput& input, const Picked& picked,
                        std::span<const analysis::Sector> sectors);

// Lines (128 B) that the other warps of the block touch with the same instruction at about the same time;
// ascending, without repetition.
std::vector<std::uint64_t> lines_of_block(const ViewInput& input, const Picked& picked);

}  // namespace warplens::visual
