// One warp access to local memory, spelled out for a picture. Local memory is interleaved by word: word 0 of
// all lanes lies side by side, then word 1 of all lanes; lanes that use equal indexes are coalesced.
//
//   float mine[8];  mine[k] in 32 lanes with k = 2   ->  bytes 256 to 383 of the warp's part: 4 sectors
#pragma once

#include "engine/analysis/coalescing.h"

namespace warplens::analysis {

// Where a byte of a thread's local memory lies in the part of its warp, and back.
inline std::uint64_t local_place(std::uint64_t offset, int lane) {
  return offset / 4 * 128 + 4 * static_cast<std::uint64_t>(lane) + offset % 4;
}
inline std::uint64_t local_offset(std::uint64_t place) {
  return place / 128 * 4 + place % 4;
}

// Sectors and lines of the warp's part; `offsets` are those of the threads.
CoalescingDetail explain_local(trace::SiteKind kind, int bytes, LaneMask active,
                               const std::uint64_t* offsets);

}  // namespace warplens::analysis
