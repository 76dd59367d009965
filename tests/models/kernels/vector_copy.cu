#include "../../../kernels/global_memory/vector_copy.cu"
