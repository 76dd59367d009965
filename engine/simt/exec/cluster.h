// Thread block clusters: blocks that run together, wait for each other and reach each other's shared memory.
//
// An address of shared memory is an offset in the block's own, or names a block of the cluster by its rank:
//
//   0x00000040                     byte 64 of the own block
//   0x03000040 (mapa, rank 2)      byte 64 of the block with rank 2: (rank + 1) << 24 | offset
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/lanes.h"

namespace warplens::simt {

class Cta;

inline constexpr unsigned kRankShift = 24;
inline constexpr std::uint32_t kOffsetMask = (1u << kRankShift) - 1;
inline constexpr std::uint64_t kMaxClusterBlocks = 16;  // opted in; 8 without

// How blocks form clusters: neighbours along x, y and z.
struct ClusterShape {
  Dim3 grid{1, 1, 1}, cluster{1, 1, 1};

  std::uint32_t blocks() const { return static_cast<std::uint32_t>(cluster.volume()); }
  std::uint64_t cluster_of(std::uint64_t block) const;
  std::uint32_t rank_of(std::uint64_t block) const;
  std::uint64_t block(std::uint64_t cluster_index, std::uint32_t rank) const;
};

// One cluster that runs. Its barrier counts threads, as a block's does.
struct Cluster {
  std::vector<Cta*> blocks;  // by rank; nullptr: has ended
  std::uint32_t alive = 0;   // threads
  std::uint32_t arrived = 0;
  std::uint32_t phase = 1;  // of the barrier
};

}  // namespace warplens::simt
