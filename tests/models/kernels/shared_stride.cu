#include "../../../kernels/shared_memory/shared_stride.cu"
