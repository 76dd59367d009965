#include "../../../kernels/global_memory/padded_float4.cu"
