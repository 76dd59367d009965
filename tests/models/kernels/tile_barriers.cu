#include "../../../kernels/synchronisation/tile_barriers.cu"
