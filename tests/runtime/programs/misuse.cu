// Calls that are wrong, as they happen to people, each answered as a GPU's runtime answers it; a kernel that uses what
// was freed is the last. What is wrong with them is said on standard error.
#include "check.h"

__constant__ int table[4];

__global__ void write(int* to, int i) {
  to[i] = 1;
}
__global__ void __launch_bounds__(128) bounded(int* to) {
  to[threadIdx.x] = 1;
}

int main() {
  int *first, *second, *pinned, on_host[64] = {};
  EXPECT(cudaSetDevice(3) == cudaErrorInvalidDevice);
  CHECK(cudaMalloc(&first, 400));
  CHECK(cudaMalloc(&second, 800));
  CHECK(cudaMallocHost(&pinned, 64));
  const cudaError_t invalid = cudaErrorInvalidValue;
  EXPECT(cudaFree(second + 4) == invalid);
  EXPECT(cudaFree(pinned) == invalid);
  EXPECT(cudaFree(on_host) == invalid);
  EXPECT(cudaMemcpy(first + 50, second, 400, cudaMemcpyDeviceToDevice) == invalid);
  EXPECT(cudaMemcpy(on_host, first, 64, cudaMemcpyHostToDevice) == invalid);
  EXPECT(cudaMemset(nullptr, 0, 4) == invalid);
  EXPECT(cudaMemset(first, 0, 404) == invalid);
  EXPECT(cudaMemcpyToSymbol("table", on_host, 16) == cudaErrorInvalidSymbol);
  EXPECT(cudaMemcpyToSymbol(on_host, on_host, 16) == cudaErrorInvalidSymbol);
  EXPECT(cudaMemcpyToSymbol(table, on_host, 16) == cudaSuccess);
  cudaGetLastError();
  write<<<0, 32>>>(first, 0);
  EXPECT(cudaGetLastError() == invalid);
  write<<<1, dim3(32, 64)>>>(first, 0);
  EXPECT(cudaGetLastError() == invalid);
  write<<<dim3(1, 70000), 32>>>(first, 0);
  EXPECT(cudaGetLastError() == invalid);
  write<<<1, 32, 100 << 10>>>(first, 0);
  EXPECT(cudaGetLastError() == invalid);
  bounded<<<1, 256>>>(first);
  EXPECT(cudaGetLastError() == invalid);
  CHECK(cudaFree(first));
  EXPECT(cudaFree(first) == invalid);
  EXPECT(cudaMemset(first, 0, 4) == invalid);
  cudaGetLastError();
  write<<<1, 1>>>(first, 3);  // a GPU lets it pass: the page is still there
  CHECK(cudaDeviceSynchronize());
  std::printf("all of it was wrong\n");
}
