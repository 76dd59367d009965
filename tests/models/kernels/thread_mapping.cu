#include "../../../kernels/threads/thread_mapping.cu"
