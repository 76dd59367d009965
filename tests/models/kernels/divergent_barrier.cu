#include "../../../kernels/synchronisation/divergent_barrier.cu"
