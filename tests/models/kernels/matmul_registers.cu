#define WORK 4
#include "../../../kernels/tiling/matmul_registers.cu"
