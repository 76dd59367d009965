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
// Who comes last finds it out by an atomic in the first block's shared memory, and puts the counter back: the chain
// of atomics orders that behind all others.
//! run 8 64 buf:i32:64:zero i32:3
__global__ void __cluster_dims__(4, 1, 1) last_one_resets(int* out, int turns) {
  __shared__ unsigned int count;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned int* top = cluster.map_shared_rank(&count, 0);
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  for (int turn = 0; turn < turns; ++turn) {
    if (threadIdx.x == 0 && atomicAdd(top, 1u) == cluster.num_blocks() - 1) {
      *top = 0;
      out[turn * gridDim.x / 4 + blockIdx.x / 4] = turn;
    }
    cluster.sync();
  }
}
// The first block counts in its own memory, the others in another block's; the first one comes last.
//! run 8 64 buf:i32:64:zero
__global__ void __cluster_dims__(4, 1, 1) first_block_waits_and_resets(int* out) {
  __shared__ unsigned int count;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    if (cluster.block_rank() != 0) {
      atomicAdd(cluster.map_shared_rank(&count, 0), 1u);
    } else {
      while (atomicAdd(&count, 0u) != 3) {
      }
      count = 0;
      out[blockIdx.x / 4] = 1;
    }
  }
  cluster.sync();
}
//! run 8 64 buf:i32:64:zero
//! expect race "cluster.sync()"
__global__ void __cluster_dims__(4, 1, 1) second_one_resets(int* out) {
  __shared__ unsigned int count;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned int* top = cluster.map_shared_rank(&count, 0);
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    unsigned int mine = atomicAdd(top, 1u);  //! there
    if (cluster.block_rank() == 1) *top = 0;  //! here
    out[blockIdx.x] = mine;
  }
  cluster.sync();
}
