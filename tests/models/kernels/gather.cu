#include "../../../kernels/global_memory/gather.cu"
