#include "../../../kernels/tiling/matmul_ladder.cu"
