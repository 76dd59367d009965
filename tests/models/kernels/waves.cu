#include "../../../kernels/latency/waves.cu"
