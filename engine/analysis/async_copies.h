// What cp.async costs by where it reads and where it writes. The copy moves bytes of a line (128 bytes of
// global memory) into a row (128 bytes of shared memory), so that both sides decide; rules M3 and M4 of
// docs/VERIFICATION.md, read from an H200 (tests/analysis/data/h200_copies.txt).
//
//   cp.async.cg, 32 lanes of 16 bytes from consecutive places to rows of 80 bytes pitch: 4 lines of global
//   memory, but 20 pairs of line and row: lines == 20
#pragma once

#include "engine/analysis/coalescing.h"
#include "engine/analysis/shared_banks.h"

namespace warplens::analysis {

struct CopyCounts {
  GlobalCounts global;
  SharedCounts shared;
};

// `past_l1` is cp.async.cg, which goes around the L1 cache and is always 16 bytes a lane; otherwise
// cp.async.ca. `from` are global addresses, `to` offsets in shared memory, 32 values each.
CopyCounts count_copy(bool past_l1, int bytes, LaneMask active, const std::uint64_t* from,
                      const std::uint64_t* to);

}  // namespace warplens::analysis
