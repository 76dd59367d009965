//+ further launches follow
//= reduce grid 4096 1 1 | block 256 1 1 | shared 1024 | 4194304B | 16384B | 1048576
#include <algorithm>
__global__ void reduce(const float* in, float* out, int n) { extern __shared__ float s[]; s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x]; __syncthreads(); if (!threadIdx.x) out[blockIdx.x] = s[n & 255]; }
int main() {
  const int threads = 256;
  int n = 1 << 20;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n / threads * sizeof(float));
  while (n > 1) {
    int blocks = (n + threads - 1) / threads;
    reduce<<<blocks, threads, threads * sizeof(float)>>>(in, out, n);
    std::swap(in, out);
    n = blocks;
  }
}
