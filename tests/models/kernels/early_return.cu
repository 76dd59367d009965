#include "../../../kernels/divergence/early_return.cu"
