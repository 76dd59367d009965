#define WEIGHTED one
#include "../../../kernels/shared_memory/histogram.cu"
