// Inside the worker: how long the vendor's library takes for a product of matrices, as the line that a kernel
// of one's own is held against. cuBLAS is opened when it is asked for, as CUPTI is: no toolkit is needed to
// build or to start.
#pragma once

#include <functional>

#include "engine/gpu/product_size.h"
#include "engine/gpu/stopwatch.h"

namespace warplens::gpu {

// Fails with what to install where the library is not there.
Result<LibraryTimes> time_library_product(const Driver& driver, Stopwatch& stopwatch, const ProductSize& size,
                                          int runs, double seconds,
                                          const std::function<bool(double)>& progress);

}  // namespace warplens::gpu
