// The arrays that a kernel declares in shared and in constant memory: where each lies, its extents as the
// text declares them, and whether its traced accesses leave a column unused (padding) or permute it (an XOR
// swizzle).
//
//   __shared__ float tile[TILE][TILE + 1];   ->  tile, offset 0, extents {32, 33}, columns_used 32
#pragma once

#include <vector>

#include "app/model/run/pipeline.h"
#include "visual/view.h"

namespace warplens::model {

// Ascending offsets. An array whose declaration is not found (or whose extents depend on what is not known)
// has one extent: its number of elements. Walks at most a few ten thousand accesses of the trace.
std::vector<visual::SharedArray> shared_arrays(const Run& run);
// In the order of the text. None of a run on a GPU that recorded nothing.
std::vector<visual::DeclaredArray> constant_arrays(const Run& run);

}  // namespace warplens::model
