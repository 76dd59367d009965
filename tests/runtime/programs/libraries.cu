// Thrust and CUB through their headers.
#include <cub/block/block_reduce.cuh>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>

#include "check.h"

__global__ void sum(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const int all = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *out = all;
}

int main() {
  thrust::host_vector<int> host(3000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<int>(i * 7919 % 3001);
  thrust::device_vector<int> device = host;
  const int expected = thrust::reduce(host.begin(), host.end());
  EXPECT(thrust::reduce(device.begin(), device.end()) == expected);
  thrust::sort(device.begin(), device.end());
  std::sort(host.begin(), host.end());
  const thrust::host_vector<int> sorted = device;
  EXPECT(sorted == host);
  int *out, found = 0, all = 0;
  CHECK(cudaMalloc(&out, sizeof(int)));
  sum<<<1, 128>>>(thrust::raw_pointer_cast(device.data()), out);
  CHECK(cudaMemcpy(&found, out, sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i) all += host[i];
  EXPECT(found == all);
  std::printf("sorted and summed\n");
}
