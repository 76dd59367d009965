#define RADIUS 4
#include "../../../kernels/tiling/stencil.cu"
