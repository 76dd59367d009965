#include "../../../kernels/latency/block_size.cu"
