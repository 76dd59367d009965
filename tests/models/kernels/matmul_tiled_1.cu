#define TILE 64
#include "../../../kernels/tiling/matmul_tiled.cu"
