#include "../../../kernels/global_memory/copy_permuted.cu"
