#include "../../../kernels/shared_memory/shared_bytes.cu"

void* instance = reinterpret_cast<void*>(shared_bytes<unsigned char>);
