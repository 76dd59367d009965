#include "../../../kernels/warp_level/block_reduction.cu"
