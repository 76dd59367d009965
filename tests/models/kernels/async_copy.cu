#define STAGES 2
#include "../../../kernels/data_movement/async_copy.cu"
