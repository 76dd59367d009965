#include "../../../kernels/shared_memory/transpose_tile.cu"
