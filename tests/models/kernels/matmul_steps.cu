#include "../../../kernels/tiling/matmul_steps.cu"
