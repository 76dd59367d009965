#define LOADS 16
#include "../../../kernels/latency/loads_in_flight.cu"
