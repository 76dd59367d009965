#define UNROLL 16
#include "../../../kernels/tiling/matmul_unroll.cu"
