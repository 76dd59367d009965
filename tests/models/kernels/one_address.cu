#include "../../../kernels/global_memory/one_address.cu"
