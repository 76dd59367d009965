//= k grid ? | block ? | shared 0 | ?
__global__ void k(float* p) { p[threadIdx.x] = 1; }
void launch(dim3 grid, dim3 block, float* p) { k<<<grid, block>>>(p); }
