#include "../../../kernels/divergence/two_kernels.cu"
