#include "../../../kernels/synchronisation/warp_synchronous.cu"
