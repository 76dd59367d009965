#include "../../../kernels/memories/local_array.cu"
