#include "../../../kernels/tiling/matmul_naive.cu"
