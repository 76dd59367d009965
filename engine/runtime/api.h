// The toolkit's declarations of what this library stands in for, visible to the programs that are linked to
// it.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

// Handles of the C interface are pointers to these.
struct CUevent_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
