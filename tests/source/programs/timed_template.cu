//= copy grid 2048 1 1 | block 512 1 1 | shared 0 | 4194304B | 4194304B | 1048576
#include <cstdio>
__global__ void copy(const float* in, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }
template <typename F> float measure(F&& f) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  for (int i = 0; i < 20; i++) f();
  cudaEventRecord(b);
  float ms;
  cudaEventElapsedTime(&ms, a, b);
  return ms / 20;
}
int main() {
  const size_t N = 1024 * 1024;
  float *in, *out;
  cudaMalloc(&in, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  float ms = measure([&] { copy<<<N / 512, 512>>>(in, out, N); });
  printf("%f\n", ms);
}
