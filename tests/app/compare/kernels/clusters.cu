// Blocks of a cluster in each other's shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

// Each block of two holds half of the bins.
KERNEL __cluster_dims__(2, 1, 1) halves_of_a_histogram(const int* in, int* out, int n) {
  __shared__ int bins[64];
  const auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i];
    atomicAdd(cluster.map_shared_rank(bins, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(out + cluster.block_rank() * 64 + i, bins[i]);
}

KERNEL __cluster_dims__(4, 1, 1) sum_of_four(const float* in, float* out) {
  __shared__ float sums[128];
  const auto cluster = cg::this_cluster();
  sums[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  cluster.sync();
  if (cluster.thread_rank() == 0) {
    float all = 0;
    for (int b = 0; b < 4; ++b) all += *cluster.map_shared_rank(sums, b);
    out[blockIdx.x / 4] = all;
  }
  cluster.sync();
}

KERNEL __cluster_dims__(8, 1, 1) ring_of_eight(const int* in, int* out, int turns) {
  __shared__ int now[64], next[64];
  const auto cluster = cg::this_cluster();
  now[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  for (int t = 0; t < turns; ++t) {
    cluster.sync();
    next[threadIdx.x] = cluster.map_shared_rank(now, (cluster.block_rank() + 1) % 8)[threadIdx.x];
    cluster.sync();
    now[threadIdx.x] = next[threadIdx.x] + t;
  }
  out[blockIdx.x * 64 + threadIdx.x] = now[threadIdx.x];
}

// Its own memory by its own rank, beside a neighbour's in the same warp.
KERNEL __cluster_dims__(2, 1, 1) own_and_other(const int* in, int* out) {
  __shared__ int tile[64];
  const auto cluster = cg::this_cluster();
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  cluster.sync();
  const int* from = cluster.map_shared_rank(tile, threadIdx.x % 2);
  out[blockIdx.x * 64 + threadIdx.x] = from[63 - threadIdx.x] + tile[threadIdx.x];
  cluster.sync();
}

// Tiles of a picture, two by two in a cluster: a blur that reads over the edge into the neighbour's tile.
KERNEL __cluster_dims__(2, 2, 1) blur_over_the_edge(const int* in, int* out, int width) {
  __shared__ int tile[8][8];
  const auto cluster = cg::this_cluster();
  const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  cluster.sync();
  int sum = 0;
  for (int dx = -1; dx <= 1; ++dx) {
    const int bx = (int)threadIdx.x + dx + 8 * (int)(blockIdx.x % 2);
    if (bx < 0 || bx > 15) continue;
    const unsigned rank = bx / 8 + 2 * (blockIdx.y % 2);
    sum += cluster.map_shared_rank(&tile[0][0], rank)[threadIdx.y * 8 + bx % 8];
  }
  out[y * width + x] = sum;
  cluster.sync();
}

// Places are given out by a counter in the first block's memory.
KERNEL __cluster_dims__(4, 1, 1) places_from_the_first(const int* in, int* out, int* counts) {
  __shared__ int taken;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) taken = 0;
  cluster.sync();
  const int x = in[blockIdx.x * 64 + threadIdx.x];
  if (x % 2 == 0) out[blockIdx.x / 4 * 256 + atomicAdd(cluster.map_shared_rank(&taken, 0), 1)] = x;
  cluster.sync();
  if (cluster.thread_rank() == 0) counts[blockIdx.x / 4] = taken;
}

// Addresses of the cluster's window, 32 bits wide, with the own block among them.
KERNEL __cluster_dims__(4, 1, 1) through_the_window(const int* in, int* out) {
  __shared__ int tile[32];
  const auto cluster = cg::this_cluster();
  tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  cluster.sync();
  const unsigned mine = (unsigned)__cvta_generic_to_shared(tile);
  int sum = 0;
  for (int b = 0; b < 4; ++b) {
    unsigned there;
    int value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(b));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there + 4 * ((threadIdx.x + b) % 32)) : "memory");
    sum += value * (b + 1);
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
  cluster.sync();
}

// A neighbour's mbarrier is told that its data has come.
KERNEL __cluster_dims__(2, 1, 1) message_to_the_neighbour(const int* in, int* out) {
  __shared__ int inbox[32];
  __shared__ alignas(8) unsigned long long bar;
  const auto cluster = cg::this_cluster();
  const unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(b));
  cluster.sync();
  const unsigned other = cluster.block_rank() ^ 1;
  cluster.map_shared_rank(inbox, other)[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * 3;
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(b), "r"(other));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  asm volatile("{.reg .pred P; $W%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P, [%0], 0; @!P bra $W%=;}" ::"r"(b) : "memory");
  out[blockIdx.x * 32 + threadIdx.x] = inbox[threadIdx.x];
  cluster.sync();
}
