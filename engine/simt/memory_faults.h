// Sentences about accesses that went wrong: "element 1024 of out, which has 1024 elements".
#pragma once

#include "engine/simt/memory.h"

namespace warplens::simt {

// Out of bounds or misaligned lanes of an access; does nothing under Checks::None (they are left out).
void report_access_fault(const Op& op, Warp& warp, const Prepared& prepared, LaneMask bad);

}  // namespace warplens::simt
