// A launch as CUDA C++ has it: what a student would write to get exactly this one.
//
//   copy_strided<<<256, 256>>>(in, out, 65536, 2);
#pragma once

#include <string>

#include "app/model/run/pipeline.h"

namespace warplens::model {

// Extents that are 1 at the end are left out; more than one are a dim3. Dynamic shared memory is the third
// value where there is any. Buffers, textures and structures have the names of their parameters, scalars
// their values.
std::string launch_line(const Run& run);

}  // namespace warplens::model
