#include "../../../kernels/warp_level/compaction.cu"
