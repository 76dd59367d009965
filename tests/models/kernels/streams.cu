#include "../../../kernels/data_movement/streams.cu"
