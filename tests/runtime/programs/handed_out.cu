// Work that a block takes from a queue: one barrier stands between handing out and reading, and none between
// reading and the next turn. Warps of a GPU go on together behind a barrier, so each reads what is its own.
#include <vector>

#include "check.h"

__global__ void take(const int* costs, int* done, int* head, int n) {
  __shared__ int base;
  const int tid = threadIdx.x;
  if (tid == 0) base = atomicAdd(head, static_cast<int>(blockDim.x));
  __syncthreads();
  int mine = base;
  while (mine < n) {
    if (mine + tid < n) {
      int value = costs[mine + tid];
      const int turns = value & 7;
      for (int i = 0; i < turns; ++i) value = value * 3 + i;
      atomicAdd(&done[mine + tid], value);
    }
    if (tid == 0) base = atomicAdd(head, static_cast<int>(blockDim.x));
    __syncthreads();
    mine = base;
  }
}

int main() {
  const int n = 20000;
  std::vector<int> costs(n), done(n);
  for (int i = 0; i < n; ++i) costs[i] = i * 7 % 1001 + 1;
  int *there, *sums, *head;
  CHECK(cudaMalloc(&there, n * sizeof(int)));
  CHECK(cudaMalloc(&sums, n * sizeof(int)));
  CHECK(cudaMalloc(&head, sizeof(int)));
  CHECK(cudaMemcpy(there, costs.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(sums, 0, n * sizeof(int)));
  CHECK(cudaMemset(head, 0, sizeof(int)));
  take<<<8, 256>>>(there, sums, head, n);
  CHECK(cudaMemcpy(done.data(), sums, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    int value = costs[i];
    for (int k = 0; k < (costs[i] & 7); ++k) value = value * 3 + k;
    EXPECT(done[i] == value);
  }
  std::printf("all was handed out\n");
}
