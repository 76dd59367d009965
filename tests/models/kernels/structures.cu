#define FIELDS 8
#include "../../../kernels/global_memory/structures.cu"
