#include "../../../kernels/threads/grid_stride.cu"
