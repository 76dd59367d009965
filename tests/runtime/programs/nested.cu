// A kernel that launches a kernel: refused, and named.
#include "check.h"

__global__ void inner(int* out) { *out = 1; }
__global__ void outer(int* out) { inner<<<1, 1>>>(out); }

int main() {
  int* out;
  CHECK(cudaMalloc(&out, sizeof *out));
  outer<<<1, 1>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  inner<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize());
  std::printf("one of two ran\n");
}
