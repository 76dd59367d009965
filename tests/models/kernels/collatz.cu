#include "../../../kernels/divergence/collatz.cu"
