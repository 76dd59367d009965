//= histogram grid 1024 1 1 | block 256 1 1 | shared 1024 | 4194304B | 1024B | 1048576
#include <thrust/device_vector.h>
#include <thrust/fill.h>
__global__ void histogram(const int* values, int* bins, int n) {
  extern __shared__ int local[];
  if (threadIdx.x < 256) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[values[i] & 255], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
int main() {
  const int n = 1 << 20, bins = 256;
  thrust::device_vector<int> values(n);
  thrust::device_vector<int> counts(bins, 0);
  histogram<<<1024, 256, bins * sizeof(int)>>>(thrust::raw_pointer_cast(values.data()), thrust::raw_pointer_cast(&counts[0]), n);
}
