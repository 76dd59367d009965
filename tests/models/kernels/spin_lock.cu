#include "../../../kernels/synchronisation/spin_lock.cu"
