// Which lanes of a matrix access name its rows of 16 bytes.
//
//   ldmatrix.x2 ...                                  lanes 0 to 15 hold addresses, the others nothing
//   wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 ...   one LDSM of four matrices in the machine code
#pragma once

#include "engine/base/lanes.h"
#include "engine/trace/site.h"

namespace warplens::trace {

// All lanes but for ldmatrix, stmatrix and wmma loads, of which the first 8, 16 or 32 lanes count.
LaneMask naming_lanes(const Site& site);

}  // namespace warplens::trace
