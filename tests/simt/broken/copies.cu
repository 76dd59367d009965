// Asynchronous copies, mbarriers and cooperative groups, for compute capability 9.0.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

namespace cg = cooperative_groups;

//! run 2 64 buf:f32:128:iota buf:f32:128:zero
//! expect uninitialised_read
__global__ void copy_not_waited_for(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&tile[t], &in[i], 4);
  __pipeline_commit();
  out[i] = tile[t];  //! here
  __pipeline_wait_prior(0);
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
__global__ void copy_waited_for(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&tile[t], &in[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = tile[t];
}
// Waiting is by thread: what another thread copied needs a barrier too.
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
//! expect race
__global__ void copy_of_another_thread(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&tile[t], &in[i], 4);  //! there
  __pipeline_commit();
  __pipeline_wait_prior(0);  //! there
  out[i] = tile[63 - t];  //! here
}
//! run 2 64 buf:f32:128:iota buf:f32:128:zero
__global__ void copy_then_barrier(const float* in, float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  __pipeline_memcpy_async(&tile[t], &in[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = tile[63 - t];
}
// Two stages: the buffer that is being read is overwritten by the copy for the next turn.
//! run 1 64 buf:f32:512:iota buf:f32:64:zero i32:8
__global__ void double_buffer(const float* in, float* out, int turns) {
  __shared__ float tile[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < turns; ++k) {
    if (k + 1 < turns) __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[k % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
//! run 1 64 buf:f32:512:iota buf:f32:64:zero i32:8
//! expect race
__global__ void double_buffer_one_barrier(const float* in, float* out, int turns) {
  __shared__ float tile[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);  //! there
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < turns; ++k) {
    if (k + 1 < turns) __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &in[(k + 1) * 64 + t], 4);  //! there
    __pipeline_commit();
    __pipeline_wait_prior(1);    //! there
    sum += tile[k % 2][63 - t];  //! here
    __syncthreads();
  }
  out[t] = sum;
}

//! run 1 64 buf:f32:64:iota buf:f32:64:zero
__global__ void block_barrier(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  ready.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
//! run 1 64 buf:f32:64:iota buf:f32:64:zero
//! expect deadlock
__global__ void block_barrier_expects_too_many(const float* in, float* out) {
  __shared__ float tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x + 1);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  ready.arrive_and_wait();  //! here
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

//! run 2 128 buf:f32:256:iota buf:f32:2:zero
__global__ void tiles_reduce(const float* in, float* out) {
  __shared__ float part[4];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float v = cg::reduce(warp, in[blockIdx.x * 128 + threadIdx.x], cg::plus<float>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = v;
  block.sync();
  if (block.thread_rank() == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
//! run 2 128 buf:f32:256:iota buf:f32:2:zero
//! expect race "__syncthreads"
__global__ void tiles_reduce_without_sync(const float* in, float* out) {
  __shared__ float part[4];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float v = cg::reduce(warp, in[blockIdx.x * 128 + threadIdx.x], cg::plus<float>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = v;  //! there
  warp.sync();
  if (block.thread_rank() == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];  //! here
}

//! run 4 64 buf:i32:256:iota buf:i32:256:zero
__global__ void whole_grid(int* a, int* b) {
  int i = blockIdx.x * 64 + threadIdx.x;
  a[i] *= 2;
  cg::this_grid().sync();
  b[i] = a[255 - i];
}
//! run 1 64 buf:i32:64:iota buf:i32:64:zero
__global__ void group_of_those_who_are_here(const int* in, int* out) {
  if (in[threadIdx.x] % 3 == 0) {
    cg::coalesced_group here = cg::coalesced_threads();
    out[threadIdx.x] = here.thread_rank() + here.shfl(in[threadIdx.x], 0);
  }
}

// Shared memory overwritten by a bulk copy that nobody waited for: the barrier's phase tells when it is there.
//! run 1 128 buf:f32:128:iota buf:f32:128:zero
__global__ void bulk_copy(const float* in, float* out) {
  __shared__ alignas(16) float tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof tile), ready);
    token = cuda::device::barrier_arrive_tx(ready, 1, 0);
  } else {
    token = ready.arrive();
  }
  ready.wait(std::move(token));
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
