#define TILE 16
#include "../../../kernels/tiling/matmul_tiled.cu"
