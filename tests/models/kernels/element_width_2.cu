#include "../../../kernels/global_memory/element_width.cu"

void* instance = reinterpret_cast<void*>(element_width<short>);
