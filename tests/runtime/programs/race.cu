// A race in shared memory, which results do not show every time.
#include "check.h"

__global__ void shift(int* data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = tile[(threadIdx.x + 33) % 64];  // __syncthreads() is missing
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  CHECK(cudaMemset(data, 0, 64 * sizeof(int)));
  shift<<<1, 64>>>(data);
  CHECK(cudaDeviceSynchronize());
}
