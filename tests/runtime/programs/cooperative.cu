// Cooperative groups: tiles, a barrier of the whole grid, clusters with distributed shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void two_steps(int* data, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) data[i] = i;
  grid.sync();
  for (int i = grid.thread_rank(); i < n / 2; i += grid.size()) data[i] += data[n - 1 - i];
}

__global__ void tiles(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}

__global__ void neighbours(int* out) {
  __shared__ int own;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) own = 100 + static_cast<int>(cluster.block_rank());
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&own, next);
  cluster.sync();
}

// Beside kernels whose clusters only their launches tell.
__global__ void __cluster_dims__(2, 1, 1) pairs(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<int>(10 * cluster.num_blocks() + cluster.block_rank());
}

void clusters_of_both_kinds(cudaLaunchConfig_t config, int* out) {
  pairs<<<4, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 4; ++i) EXPECT(out[i] == 20 + i % 2);
  EXPECT(cudaLaunchKernelEx(&config, pairs, out) == cudaErrorInvalidClusterSize);
  config.gridDim = 16;
  config.attrs->val.clusterDim.x = 16;
  EXPECT(cudaLaunchKernelEx(&config, neighbours, out) == cudaErrorInvalidClusterSize);
  CHECK(cudaFuncSetAttribute(neighbours, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaGetLastError();
  CHECK(cudaLaunchKernelEx(&config, neighbours, out));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i) EXPECT(out[i] == 100 + (i + 1) % 16);
}

int main() {
  int n = 2000, *data, *out, blocks = 0;
  CHECK(cudaMallocManaged(&data, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, two_steps, 128, 0));
  EXPECT(blocks == 16);
  void* arguments[] = {&data, &n};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(two_steps), dim3(8), dim3(128), arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(data[i] == (i < n / 2 ? n - 1 : i));
  EXPECT(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(two_steps), dim3(100000), dim3(128), arguments, 0,
                                     nullptr) == cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  tiles<<<1, 64>>>(data, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) EXPECT(out[i] == 8 * (n - 1));

  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 32;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, neighbours, out));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i) EXPECT(out[i] == 100 + (i % 4 + 1) % 4);
  clusters_of_both_kinds(config, out);
  std::printf("groups met\n");
}
