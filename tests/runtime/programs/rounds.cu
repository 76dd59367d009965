// Blocks that look at each other's results in rounds around all of their work: a chain from the last block to the
// first, so that who runs one block to its end before the next waits for ever.
#include "check.h"

__device__ unsigned mixed(unsigned value) {
#pragma unroll
  for (int i = 0; i < 24; ++i) value = (value >> 7 ^ value) * 0x9e3779b1u + i;
  return value | 1u;
}
__host__ unsigned mixed_here(unsigned value) {
  for (int i = 0; i < 24; ++i) value = (value >> 7 ^ value) * 0x9e3779b1u + i;
  return value | 1u;
}

__global__ void chain(volatile unsigned* values, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  bool missing;
  do {
    missing = false;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) {
      if (values[i] != 0) continue;
      const unsigned behind = i + 1 < n ? values[i + 1] : 42u;
      if (behind == 0)
        missing = true;
      else
        values[i] = mixed(behind);
    }
  } while (missing);
}

int main() {
  const int n = 640;
  unsigned *values, found[n];
  CHECK(cudaMalloc(&values, sizeof found));
  for (int block : {32, 128}) {
    CHECK(cudaMemset(values, 0, sizeof found));
    chain<<<5, block>>>(values, n);
    CHECK(cudaMemcpy(found, values, sizeof found, cudaMemcpyDeviceToHost));
    unsigned wanted = 42;
    for (int i = n; i-- > 0;) {
      wanted = mixed_here(wanted);
      EXPECT(found[i] == wanted);
    }
  }
  std::printf("rounds ended\n");
}
