#include "../../../kernels/shared_memory/dynamic_shared.cu"
