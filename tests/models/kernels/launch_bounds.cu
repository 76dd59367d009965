#define MIN_BLOCKS 2
#include "../../../kernels/latency/launch_bounds.cu"
