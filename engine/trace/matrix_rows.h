// Which lanes of a matrix access name its rows of 16 bytes, and which loads are such accesses.
//
//   ldmatrix.x2 ...                                  lanes 0 to 15 hold addresses, the others nothing
//   wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 ...   one LDSM of four matrices in the machine code
#pragma once

#include "engine/base/lanes.h"
#include "engine/ptx/module.h"
#include "engine/trace/site.h"

namespace warplens::trace {

// All lanes but for ldmatrix and stmatrix, whose first 8, 16 or 32 lanes count.
LaneMask naming_lanes(const Site& site);

// Whether a wmma load fetches 8x8 matrices as ldmatrix does: A and B in shared memory, of 16 bits in either
// order or of 8 bits in their natural one (read from the machine code of ptxas 13.0, in every shape).
bool loads_matrices(const ptx::Form& wmma_load);

}  // namespace warplens::trace
