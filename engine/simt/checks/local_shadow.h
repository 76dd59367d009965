// Checks::All: which bytes of its local memory a thread has written, so that reading the others is reported.
//
//   float a[4];  a[0] = 1;  s = a[k];    k = 2: nobody wrote there
//
// An element of which any byte was written counts as written, and a load whose value is only stored again is
// let through: both are how structures with padding are copied. Call frames start unwritten but for their
// arguments, and are so again when the function has returned.
#pragma once

#include "engine/simt/exec/cta.h"
#include "engine/simt/memory/memory.h"

namespace warplens::simt {

// An access to local memory, before it is made; addresses of `p` are offsets in each lane's memory.
void local_access(const Op& op, Warp& warp, const Prepared& p);
// These lanes' bytes from `offset` on now hold something (or nothing).
void mark_local(WarpControl& w, std::uint32_t lane_bytes, LaneMask lanes, std::uint32_t offset,
                std::uint32_t bytes, bool written);

}  // namespace warplens::simt
