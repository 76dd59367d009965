// The families of memory operations, one file each.
#pragma once

#include <span>

#include "engine/simt/ops/op.h"

namespace warplens::simt {

// Hints to caches and fences that order what happens in order anyway.
inline void nothing(const Op&, Warp&, LaneMask) {}

std::span<const OpcodeEntry> load_store_family();  // ld ldu st
std::span<const OpcodeEntry> atomic_family();      // atom red
std::span<const OpcodeEntry> address_family();   // cvta isspacep prefetch, mov of frame addresses and clocks
std::span<const OpcodeEntry> async_family();     // cp.async
std::span<const OpcodeEntry> transfer_family();  // cp.async.bulk st.async red.async
std::span<const OpcodeEntry> mbarrier_family();  // mbarrier
std::span<const OpcodeEntry> copies_arrive_family();  // cp.async.mbarrier.arrive
std::span<const OpcodeEntry> matrix_memory_family();  // ldmatrix stmatrix
std::span<const OpcodeEntry> texture_family();        // tex tld4 suld sust
std::span<const OpcodeEntry> warp_barrier_family();   // bar.warp.sync

}  // namespace warplens::simt
