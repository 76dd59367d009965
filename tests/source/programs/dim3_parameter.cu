//= k grid 5 6 1 | block 16 4 1 | shared 0 | 8192B
__global__ void k(float* p) { p[threadIdx.x] = 1; }
void launch(dim3 grid, dim3 block, float* p) { k<<<grid, block>>>(p); }
int main() {
  float* p;
  cudaMalloc(&p, 2048 * sizeof(float));
  launch(dim3(5, 6), dim3(16, 4), p);
}
