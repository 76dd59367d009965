#define WORK 8
#include "../../../kernels/tiling/matmul_registers.cu"
