#define UNROLL 1
#include "../../../kernels/tiling/matmul_unroll.cu"
