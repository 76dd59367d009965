#include "../../../kernels/memories/lookup_table.cu"
