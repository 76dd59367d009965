// Thread block clusters: blocks that read each other's shared memory.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! run 8 64 buf:i32:512:iota buf:i32:512:zero
__global__ void __cluster_dims__(2, 1, 1) exchange(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[i] = other[threadIdx.x];
  cluster.sync();
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect race "cluster.sync()"
__global__ void __cluster_dims__(2, 1, 1) exchange_by_syncthreads(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x;
  mine[threadIdx.x] = in[i];  //! there
  __syncthreads();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[i] = other[threadIdx.x];  //! here
  cluster.sync();
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect invalid_address "has ended"
__global__ void __cluster_dims__(2, 1, 1) exchange_and_leave(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[i] = other[threadIdx.x];  //! here
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect out_of_bounds "shared memory"
__global__ void __cluster_dims__(2, 1, 1) exchange_beyond(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[i] = other[threadIdx.x + 1];  //! here
  cluster.sync();
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect invalid_address "no block of the cluster"
__global__ void __cluster_dims__(2, 1, 1) rank_too_high(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 64 + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() + 1);
  out[i] = other[threadIdx.x];  //! here
  cluster.sync();
}
//! run 4 64 buf:i32:256:iota buf:i32:256:zero
//! expect divergent_barrier
__global__ void __cluster_dims__(4, 1, 1) half_the_threads_wait(const int* in, int* out) {
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) {
    cluster.sync();  //! here
  } else {
    __syncthreads();  //! here
  }
  out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}

// A histogram whose bins are spread over the blocks of a cluster.
//! run 8 128 buf:i32:1024:mod:256 buf:i32:256:zero
__global__ void __cluster_dims__(4, 1, 1) histogram(const int* in, int* out) {
  __shared__ int bins[64];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  cluster.sync();
  int value = in[blockIdx.x * 128 + threadIdx.x];
  atomicAdd(cluster.map_shared_rank(bins, value / 64) + value % 64, 1);
  cluster.sync();
  if (threadIdx.x < 64) atomicAdd(&out[cluster.block_rank() * 64 + threadIdx.x], bins[threadIdx.x]);
}
//! run 8 128 buf:i32:1024:mod:256 buf:i32:256:zero
//! expect race
__global__ void __cluster_dims__(4, 1, 1) histogram_read_early(const int* in, int* out) {
  __shared__ int bins[64];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  cluster.sync();
  int value = in[blockIdx.x * 128 + threadIdx.x];
  atomicAdd(cluster.map_shared_rank(bins, value / 64) + value % 64, 1);  //! there
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[cluster.block_rank() * 64 + threadIdx.x], bins[threadIdx.x]);  //! here
  cluster.sync();
}

// 2 x 2 blocks that add up a tile's sum.
//! run 4x4 8x8 buf:f32:1024:iota buf:f32:4:zero
__global__ void __cluster_dims__(2, 2, 1) sums(const float* in, float* out) {
  __shared__ float sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0 && threadIdx.y == 0) sum = 0.0f;
  cluster.sync();
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  atomicAdd(cluster.map_shared_rank(&sum, 0), in[y * 32 + x]);
  cluster.sync();
  dim3 which = cluster.block_index();
  if (cluster.thread_rank() == 0) out[(blockIdx.y / 2) * 2 + blockIdx.x / 2] = sum + 0.0f * which.x;
}
