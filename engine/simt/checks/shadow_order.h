// What orders two accesses, for the exact check of races (shadow.h).
#pragma once

#include "engine/simt/checks/race_report.h"

namespace warplens::simt {

inline std::uint32_t warp_of(const Mark& mark) {
  return mark.thread() / kWarpSize;
}

// Does nothing order the earlier access of this block before the one of that thread that goes on?
bool unordered_in_block(const Current& now, const Mark& earlier, std::uint32_t thread, std::uint32_t bytes);
// The same for an earlier access to global memory by whatever block.
bool unordered_globally(const Current& now, const GlobalShadow::Entry& earlier, std::uint32_t thread,
                        std::uint32_t bytes);
// Do the clocks order an earlier access by a block of this cluster before what the warp does now?
bool clocks_order(Warp& warp, std::uint32_t rank, const Mark& earlier);
// Accesses of two blocks: do they touch the same bytes, and not both as strong ones that see each other?
bool clash(const Current& now, const Mark& earlier, std::uint32_t bytes);

// Flags: a write after a fence publishes, an atomic or volatile look takes over. In global memory, and in
// shared memory of the block or of another one of its cluster.
void publish(const Current& now, unsigned lane, std::uint64_t address);
void publish_shared(const Current& now, SharedShadow& there, unsigned lane, std::uint64_t offset);

}  // namespace warplens::simt
