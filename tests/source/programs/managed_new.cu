//= init grid 2 1 1 | block 512 1 1 | shared 0 | 4000B | 1000 | 42
#include <iostream>
__global__ void init(int* a, int n, int v) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) a[i] = v; }
int main() {
  int *a, n = 1000;
  cudaMallocManaged(&a, sizeof(int) * n);
  int threads{512};
  auto blocks = (n + threads - 1) / threads;
  init<<<blocks, threads>>>(a, n, 42);
  cudaDeviceSynchronize();
  std::cout << a[0] << std::endl;
}
