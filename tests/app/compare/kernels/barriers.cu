// Waiting at barriers in shared memory, copies that arrive there, and grids that wait for all of their blocks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void make(const void* bar, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count)); }
__device__ void arrive(const void* bar) { asm volatile("{.reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0];}" ::"r"(at(bar)) : "memory"); }
__device__ void wait_for(const void* bar, int parity) {
  asm volatile("{.reg .pred P; $W%=: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1; @!P bra $W%=;}" ::"r"(at(bar)), "r"(parity) : "memory");
}

// Warp 0 fills a ring of two tiles, warps 1 to 3 use them up.
KERNEL ring_of_two(const int* in, int* out, int tiles) {
  __shared__ int tile[2][96];
  __shared__ alignas(8) unsigned long long full[2], empty[2];
  if (threadIdx.x < 2) {
    make(&full[threadIdx.x], 32);
    make(&empty[threadIdx.x], 96);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      if (t >= 2) wait_for(&empty[t % 2], (t / 2 + 1) % 2);
      for (int k = threadIdx.x; k < 96; k += 32) tile[t % 2][k] = in[(blockIdx.x * tiles + t) * 96 + k];
      arrive(&full[t % 2]);
    }
  } else {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      wait_for(&full[t % 2], t / 2 % 2);
      sum += tile[t % 2][threadIdx.x - 32] * (t + 1);
      arrive(&empty[t % 2]);
    }
    out[blockIdx.x * 96 + threadIdx.x - 32] = sum;
  }
}

// Asked with a test that does not wait, and something else done meanwhile.
KERNEL test_and_go_on(const int* in, int* out, int* idle) {
  __shared__ alignas(8) unsigned long long bar;
  __shared__ int value[32];
  if (threadIdx.x == 0) make(&bar, 32);
  __syncthreads();
  int turns = 0;
  if (threadIdx.x < 32) {
    value[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] + 1;
    arrive(&bar);
  }
  for (unsigned done = 0; done == 0; ++turns)
    asm volatile("{.reg .pred P; mbarrier.test_wait.parity.shared::cta.b64 P, [%1], 0; selp.u32 %0, 1, 0, P;}" : "=r"(done) : "r"(at(&bar)) : "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = value[threadIdx.x % 32];
  if (threadIdx.x % 32 == 0) idle[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = turns;
}

KERNEL library_barrier(const int* in, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int tile[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int turn = 0; turn < 3; ++turn) {
    tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x] + turn;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    out[(blockIdx.x * 3 + turn) * 128 + threadIdx.x] = tile[127 - threadIdx.x];
    bar.arrive_and_wait();
  }
}

// A bulk copy whose bytes the barrier waits for.
KERNEL bulk_arrives(const int* in, int* out) {
  __shared__ alignas(128) int tile[256];
  __shared__ alignas(8) unsigned long long bar;
  if (threadIdx.x == 0) {
    make(&bar, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 1024;}" ::"r"(at(&bar)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(at(tile)), "l"(in + blockIdx.x * 256), "r"(at(&bar)) : "memory");
  }
  __syncthreads();
  wait_for(&bar, 0);
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

// Three stages of cp.async.
KERNEL stages(const float4* in, float* out, int tiles) {
  __shared__ float4 tile[3][32];
  float sum = 0;
  for (int t = 0; t < 2 && t < tiles; ++t) {
    __pipeline_memcpy_async(&tile[t][threadIdx.x], in + (blockIdx.x * tiles + t) * 32 + threadIdx.x, 16);
    __pipeline_commit();
  }
  for (int t = 0; t < tiles; ++t) {
    if (t + 2 < tiles) __pipeline_memcpy_async(&tile[(t + 2) % 3][threadIdx.x], in + (blockIdx.x * tiles + t + 2) * 32 + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncwarp();
    const float4 v = tile[t % 3][threadIdx.x ^ 1];
    sum += v.x + v.y * 2 + v.z * 3 + v.w * 4;
    __syncwarp();
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// A rod that loses heat, all blocks in step.
KERNEL rod(float* a, float* b, int n, int steps) {
  const auto grid = cg::this_grid();
  float *from = a, *to = b;
  for (int s = 0; s < steps; ++s) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      to[i] = 0.5f * from[i] + 0.25f * (from[i == 0 ? 0 : i - 1] + from[i == n - 1 ? i : i + 1]);
    grid.sync();
    float* const swap = from;
    from = to;
    to = swap;
  }
}

KERNEL grid_sums(const int* in, int* partial, int* out) {
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  __shared__ int sums[8];
  const int sum = cg::reduce(warp, in[grid.thread_rank()], cg::plus<int>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    int all = 0;
    for (unsigned w = 0; w < warp.meta_group_size(); ++w) all += sums[w];
    partial[blockIdx.x] = all;
  }
  grid.sync();
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += partial[b];
  out[grid.thread_rank()] = total - in[grid.thread_rank()];
}

KERNEL partitions(const int* in, int* eights, int* labels, int* together) {
  const auto block = cg::this_thread_block();
  const auto eight = cg::tiled_partition<8>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
  eights[i] = cg::reduce(eight, x, cg::greater<int>());
  const auto warp = cg::tiled_partition<32>(block);
  const auto alike = cg::labeled_partition(warp, x % 5);
  labels[i] = cg::reduce(alike, x, cg::plus<int>());
  if (x % 3 == 0) {
    const auto now = cg::coalesced_threads();
    together[i] = now.size() * 100 + now.thread_rank();
  }
}
