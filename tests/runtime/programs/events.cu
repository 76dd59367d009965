// Elapsed time is the model's: the same every time, longer for more work, and none for none.
#include "check.h"

__global__ void fill(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = static_cast<float>(i);
}

float milliseconds(float* p, int n, int times) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < times; ++i) fill<<<(n + 255) / 256, 256>>>(p, n);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float took = -1;
  CHECK(cudaEventElapsedTime(&took, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return took;
}

int main() {
  constexpr int n = 1 << 20;
  float* p;
  CHECK(cudaMalloc(&p, n * sizeof *p));
  const float once = milliseconds(p, n, 1), small = milliseconds(p, 256, 1);
  EXPECT(once == milliseconds(p, n, 1));
  EXPECT(once > small && small > 0.0005f && once < 1);
  const float four = milliseconds(p, n, 4);
  EXPECT(four > 3.9f * once && four < 4.1f * once);
  EXPECT(milliseconds(p, n, 0) == 0);
  std::puts("time modelled");
}
