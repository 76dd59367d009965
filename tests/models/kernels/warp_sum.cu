#include "../../../kernels/warp_level/warp_sum.cu"
