#include "../../../kernels/divergence/trip_count.cu"
