#define CHAINS 2
#include "../../../kernels/latency/independent_work.cu"
