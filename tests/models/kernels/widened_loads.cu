#include "../../../kernels/global_memory/widened_loads.cu"
