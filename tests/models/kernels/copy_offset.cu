#include "../../../kernels/global_memory/copy_offset.cu"
