#define LOADS 1
#include "../../../kernels/latency/loads_in_flight.cu"
