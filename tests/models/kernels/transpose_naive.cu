#include "../../../kernels/global_memory/transpose_naive.cu"
