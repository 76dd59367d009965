// A part of a matrix, element by element: which lane takes which, what of it belongs to the tile, and what a
// load fetches with it that no lane asked for. Rows and columns carry their indexes; where those of the
// access lie far apart, only they are shown, with a gap between them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "visual/layout.h"
#include "visual/matrix_shapes.h"

namespace warplens::visual {

using MatrixPlace = std::pair<std::int64_t, std::int64_t>;  // row, column

struct CloseUp {
  const MatrixShape& matrix;
  const trace::AccessView& access;
  std::size_t step = 0;
  LaneMask focused = 0;
  std::map<MatrixPlace, LaneMask> lanes;                   // whose element it is in this access
  const std::set<MatrixPlace>& tile;                       // of the block, in this phase
  const std::set<MatrixPlace>& warp_part;                  // of it the warp's
  const std::vector<std::pair<int, MatrixPlace>>& beyond;  // lanes kept out, and where they would have gone
};

// Whether the access fetches words that no lane asked for.
bool fetches_unused(const CloseUp& of);
// Takes what it needs of `r`, from its top left.
void draw_close_up(Draft& draft, const Rect& r, const CloseUp& of);

}  // namespace warplens::visual
