#include "../../../kernels/global_memory/matrix_walk.cu"
