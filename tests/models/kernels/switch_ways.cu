#include "../../../kernels/divergence/switch_ways.cu"
