#include "part.h"

// The same name as nothing else, but the same shape as in the other file.
static __device__ int factor = 2;
static __global__ void one(int* data) { data[threadIdx.x] *= factor; }

void double_all(int* data, int n) {
  one<<<1, n>>>(data);
  CHECK(cudaDeviceSynchronize());
}
