// Whether two runs of one problem computed the same.
#pragma once

#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::lesson {

// Of these arguments. Whole numbers exactly; floating-point ones within what their type can hold of a sum
// whose order differs, measured at the largest element; NaN equals NaN. Buffers of different length are not
// the same.
bool same_outputs(const model::Run& a, const model::Run& b, const std::vector<int>& arguments);

}  // namespace warplens::lesson
