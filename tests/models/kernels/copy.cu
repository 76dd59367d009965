#include "../../../kernels/global_memory/copy.cu"
