// What CUPTI measured of kernels, copies and fills, written to the log as its buffers come back.
#pragma once

#include "engine/gpu/counters_library.h"

namespace warplens::witness {

// Nothing, or the function of CUPTI that failed.
const char* start_activity(const gpu::CountersLibrary& cupti);
// All that was measured so far is in the log when it returns.
void flush_activity();

}  // namespace warplens::witness
