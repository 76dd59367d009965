#include "../../../kernels/divergence/even_odd.cu"
