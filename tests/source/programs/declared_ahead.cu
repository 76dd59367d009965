//= halve grid 4 1 1 | block 128 1 1 | shared 0 | 2048B | 512
#include <cstdio>
void run(float* data, int n, int threads = 128);
int blocks_for(int n, int threads);
__global__ void halve(float* data, int n);
int main() {
  float* data;
  cudaMalloc(&data, 512 * sizeof(float));
  run(data, 512, 128);
}
void run(float* data, int n, int threads) { halve<<<blocks_for(n, threads), threads>>>(data, n); }
int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }
__global__ void halve(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 0.5f;
}
