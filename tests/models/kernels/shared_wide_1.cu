#include "../../../kernels/shared_memory/shared_wide.cu"

void* instance = reinterpret_cast<void*>(shared_wide<float>);
