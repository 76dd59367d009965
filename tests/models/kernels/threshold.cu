#include "../../../kernels/divergence/threshold.cu"
