// Dynamic shared memory, shuffles, atomics, a histogram and a scan.
#include <vector>

#include "check.h"

__global__ void sum_blocks(const int* in, int* out, int n) {
  extern __shared__ int partial[];
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

__global__ void sum_warps(const int* in, int* out, int n) {
  int value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

__global__ void histogram(const int* in, unsigned* bins, int n) {
  __shared__ unsigned own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void scan(const int* in, int* out) {
  __shared__ int value[256];
  value[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int before = threadIdx.x >= step ? value[threadIdx.x - step] : 0;
    __syncthreads();
    value[threadIdx.x] += before;
    __syncthreads();
  }
  out[threadIdx.x] = value[threadIdx.x];
}

int main() {
  const int n = 10000;
  std::vector<int> host(n);
  long expected = 0;
  std::vector<unsigned> counts(64), found(64);
  for (int i = 0; i < n; ++i) expected += host[i] = i * 37 % 101, ++counts[host[i] & 63];
  int *in, *out;
  unsigned* bins;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&out, 256 * sizeof(int)));
  CHECK(cudaMalloc(&bins, 64 * sizeof(unsigned)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  for (int way = 0; way < 2; ++way) {
    CHECK(cudaMemset(out, 0, sizeof(int)));
    if (way == 0)
      sum_blocks<<<8, 128, 128 * sizeof(int)>>>(in, out, n);
    else
      sum_warps<<<8, 128>>>(in, out, n);
    int sum = 0;
    CHECK(cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(sum == expected);
  }
  CHECK(cudaMemset(bins, 0, 64 * sizeof(unsigned)));
  histogram<<<4, 256>>>(in, bins, n);
  CHECK(cudaMemcpy(found.data(), bins, 64 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  EXPECT(found == counts);
  scan<<<1, 256>>>(in, out);
  std::vector<int> sums(256);
  CHECK(cudaMemcpy(sums.data(), out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < 256; ++i) EXPECT(sums[i] == (sum += host[i]));
  std::printf("reduced\n");
}
