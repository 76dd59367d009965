#include "../../../kernels/memories/levels.cu"
