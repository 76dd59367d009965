#include "../../../kernels/warp_level/scan.cu"
