#include "../../../kernels/memories/read_only.cu"
