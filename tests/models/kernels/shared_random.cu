#include "../../../kernels/shared_memory/shared_random.cu"
