#include "../../../kernels/memories/working_set.cu"
