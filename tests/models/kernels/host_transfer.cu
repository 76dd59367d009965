#include "../../../kernels/data_movement/host_transfer.cu"
