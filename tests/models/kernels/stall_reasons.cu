#include "../../../kernels/latency/stall_reasons.cu"
