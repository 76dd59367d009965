// Device code of two files, linked: -rdc=true.
#include "../check.h"
#include "part.cuh"

using Function = float (*)(float);
__device__ Function scaled_pointer = scaled;

static __device__ __noinline__ float shift() {
  return 100;
}
__global__ void apply(float* p, Function f) {
  p[threadIdx.x] = f(p[threadIdx.x]) + scaled(0) + shift() + twice(0.0f);
}
void launch_fill(float* p, int n);

int main() {
  constexpr int n = 64;
  float* p;
  CHECK(cudaMallocManaged(&p, n * sizeof *p));
  launch_fill(p, n);
  Function function;
  CHECK(cudaMemcpyFromSymbol(&function, scaled_pointer, sizeof function));
  apply<<<1, n>>>(p, function);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(p[i] == 3.0f * 2 * 2 * i + 1 + 1 + 100);
  int counted = 0;
  CHECK(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
  EXPECT(counted == 2 * n);
  const float other = 5;
  CHECK(cudaMemcpyToSymbol(factor, &other, sizeof other));
  launch_fill(p, n);
  apply<<<1, n>>>(p, function);
  CHECK(cudaDeviceSynchronize());
  EXPECT(p[1] == 5.0f * 4 + 102);
  puts("two files linked");
}
