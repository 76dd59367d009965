// Which buffers of a launch are matrices, and how long their rows are: as the kernel's TOML says, else
// guessed from the launch's numbers.
//
//   matmul(a, b, c, m = 96, n = 64, k = 32)   ->  a 96 x 32, b 32 x 64, c 96 x 64
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/model/run/pipeline.h"
#include "visual/matrix_shapes.h"

namespace warplens::model {

// Parameter -> how long a row is: what somebody has typed, before all else.
using RowWidths = std::map<std::string, std::int64_t>;

// In the order of the parameters. A guess is made for launches of two dimensions alone, and only where two of
// the launch's integers are the sizes of the buffer, or one is its square root.
std::vector<visual::MatrixShape> matrix_shapes(const Run& run, const RowWidths& typed = {});

}  // namespace warplens::model
