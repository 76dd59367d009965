//= grid_sum grid ? | block 128 1 1 | shared 0 | 4096B | 1024
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void grid_sum(float* data, int n) { cg::grid_group g = cg::this_grid(); if (g.thread_rank() < n) data[g.thread_rank()] += 1; }
int main() {
  int perSm = 0, n = 1024;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perSm, grid_sum, 128, 0);
  float* data;
  cudaMalloc(&data, n * sizeof(float));
  void* args[] = {&data, &n};
  cudaLaunchCooperativeKernel((void*)grid_sum, perSm, 128, args);
}
