#include "../../../kernels/global_memory/copy_strided.cu"
