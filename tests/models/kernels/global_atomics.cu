#include "../../../kernels/global_memory/global_atomics.cu"
