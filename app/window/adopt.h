// Makes a user's own CUDA file as playable as a gallery kernel: a launch (the one in the file when it is
// constant, else a sensible one) and sliders for grid, block and every integer argument.
//
//   __global__ void scale(float* data, float f, int n)      buf:f32:{elements}:hash, f32:1.5, i32:{n}
#pragma once

#include <string>

#include "app/model/gallery.h"
#include "app/model/pipeline.h"

namespace warplens::window {

// Errors: the file holds no kernel, or none of that name.
Result<model::GalleryKernel> adopt(const model::Program& program, const std::string& name);

}  // namespace warplens::window
