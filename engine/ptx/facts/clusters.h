// The clusters of blocks that a kernel runs in.
//
//   with_clusters(text, {2, 1, 1})   // as if every kernel had been compiled with __cluster_dims__(2, 1, 1)
#pragma once

#include <string>

#include "engine/base/lanes.h"
#include "engine/base/result.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Blocks of a cluster by the kernel's own attribute (.reqnctapercluster); 1 x 1 x 1 without any.
Dim3 cluster_of(const Function& entry);

// The PTX of the same kernels launched in clusters of this size, which is what cudaLaunchKernelEx's attribute
// asks for. Lines keep their numbers. A kernel that has a size of its own keeps it.
std::string with_clusters(const std::string& text, Dim3 cluster);

}  // namespace warplens::ptx
