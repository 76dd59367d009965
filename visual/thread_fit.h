// How thread indexes lead to rows and columns, learned from the lanes that did access something.
//
//   row = 3 + threadIdx.y, column = 32 + threadIdx.x   ->   where a lane would have gone that was kept out
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/lanes.h"

namespace warplens::visual {

struct ThreadPlace {
  Dim3 thread;  // index in the block
  std::int64_t row = 0, column = 0;
};

// value = constant + x * threadIdx.x + y * threadIdx.y + z * threadIdx.z, for rows and for columns.
struct ThreadFit {
  std::int64_t row[4] = {}, column[4] = {};
  std::pair<std::int64_t, std::int64_t> at(Dim3 thread) const;
};
// Nothing where the known places do not lie on one such rule. A dimension in which they do not differ is
// taken not to matter; so a place is only foretold along dimensions that were seen.
std::optional<ThreadFit> fit_threads(const std::vector<ThreadPlace>& known);

}  // namespace warplens::visual
