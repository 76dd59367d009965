#include "../../../kernels/memories/constant_memory.cu"
