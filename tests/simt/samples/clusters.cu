// Blocks of a cluster that use each other's shared memory; stacks of a size known only at run time; surfaces
// of several layers; a grid that waits for all of its blocks.
#ifdef __CUDACC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

KERNEL __cluster_dims__(4, 1, 1) rotate_in_cluster(const int* in, int* out, int* ranks) {
  __shared__ int mine[32];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 32 + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int* there = cluster.map_shared_rank(mine, next);
  out[i] = there[31 - threadIdx.x];
  ranks[i] = cluster.query_shared_rank(there) * 100 + cluster.thread_rank();
  cluster.sync();
}

// Four tiles of 8 x 8 add into the memory of the first one.
KERNEL __cluster_dims__(2, 2, 1) sums_of_clusters(const int* in, int* out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x + threadIdx.y == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), in[(blockIdx.y * 8 + threadIdx.y) * 32 + blockIdx.x * 8 + threadIdx.x]);
  cluster.sync();
  if (cluster.thread_rank() == 0) out[blockIdx.y / 2 * 2 + blockIdx.x / 2] = sum;
}

// One block copies, both receive.
KERNEL __cluster_dims__(2, 1, 1) multicast(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ alignas(8) unsigned long long bar;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned b = (unsigned)__cvta_generic_to_shared(&bar), t = (unsigned)__cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
    asm volatile("{.reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 256;}" ::"r"(b));
  }
  cluster.sync();
  if (cluster.thread_rank() == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(t), "l"(in), "r"(b), "h"((unsigned short)3) : "memory");
  asm volatile("{.reg .pred P; $W%=: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], 0; @!P bra $W%=;}" ::"r"(b) : "memory");
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + blockIdx.x;
  cluster.sync();
}

KERNEL stack_of_any_size(int* out, int n) {
  int sum = 0;
  for (int turn = 1; turn <= 3; ++turn) {
    int* p = static_cast<int*>(alloca((n + threadIdx.x % 4) * turn * sizeof(int)));
    for (int i = 0; i < (n + threadIdx.x % 4) * turn; ++i) p[i] = i * turn;
    sum += p[(n + threadIdx.x % 4) * turn - 1];
  }
  out[threadIdx.x] = sum;
}

KERNEL layers(cudaSurfaceObject_t s) {
  int width, layers;
  asm("suq.width.b32 %0, [%1];" : "=r"(width) : "l"(s));
  asm("suq.array_size.b32 %0, [%1];" : "=r"(layers) : "l"(s));
  if (threadIdx.x >= width || blockIdx.x + 1 >= layers) return;
  const int v = surf2DLayeredread<int>(s, threadIdx.x * 4, threadIdx.y, 0);
  surf2DLayeredwrite(v + 1000 * (int)blockIdx.x, s, threadIdx.x * 4, threadIdx.y, 1 + blockIdx.x);
}

KERNEL grid_waits(int* a, int* b) {
  const auto grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int turn = 0; turn < 3; ++turn) {
    b[i] = a[(i + 1) % grid.size()];
    grid.sync();
    a[i] = b[i] + turn;
    grid.sync();
  }
}
#else
SAMPLE(rotate_in_cluster, {.grid = {8}, .block = {32}, .arguments = {integers(256, 1, 1000), zeros<int>(256), zeros<int>(256)}}) {
  for (int b = 0; b < 8; ++b) {
    const int next = b / 4 * 4 + (b + 1) % 4;
    for (int t = 0; t < 32; ++t) {
      data.ints(1)[b * 32 + t] = data.ints(0)[next * 32 + 31 - t];
      data.ints(2)[b * 32 + t] = next % 4 * 100 + b % 4 * 32 + t;
    }
  }
}
SAMPLE(sums_of_clusters, {.grid = {4, 4}, .block = {8, 8}, .arguments = {integers(1024, 2, 100), zeros<int>(4)}}) {
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) data.ints(1)[y / 16 * 2 + x / 16] += data.ints(0)[y * 32 + x];
}
SAMPLE(multicast, {.grid = {2}, .block = {64}, .arguments = {integers(64, 3, 1000), zeros<int>(128)}}) {
  for (int i = 0; i < 128; ++i) data.ints(1)[i] = data.ints(0)[i % 64] + i / 64;
}
SAMPLE(stack_of_any_size, {.block = {64}, .arguments = {zeros<int>(64), value(5)}}) {
  for (int t = 0; t < 64; ++t)
    for (int turn = 1; turn <= 3; ++turn) data.ints(0)[t] += ((5 + t % 4) * turn - 1) * turn;
}
SAMPLE(layers, {.grid = {5}, .block = {11, 4}, .arguments = {texture("surf:i32:8x4x3:layered:mod:100")}}) {
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 32; ++i) data.ints(0)[(b + 1) * 32 + i] = data.ints(0)[i] + 1000 * b;
}
SAMPLE(grid_waits, {.grid = {4}, .block = {64}, .arguments = {integers(256, 4, 1000), zeros<int>(256)}}) {
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 256; ++i) data.ints(1)[i] = data.ints(0)[(i + 1) % 256];
    for (int i = 0; i < 256; ++i) data.ints(0)[i] = data.ints(1)[i] + turn;
  }
}
#endif
