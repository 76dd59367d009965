// Producers and consumers, copies in flight, clusters, named barriers, tensor cores: forms from Ampere and Hopper guides.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

template <int STAGES>
__global__ void multi_stage_sum(const float4* in, float4* out, int steps) {
  __shared__ float4 ring[STAGES][64];
  const float4* source = in + blockIdx.x * steps * 64 + threadIdx.x;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < steps) __pipeline_memcpy_async(&ring[s][threadIdx.x], source + s * 64, 16);
    __pipeline_commit();
  }
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < steps; ++k) {
    const int ahead = k + STAGES - 1;
    if (ahead < steps) __pipeline_memcpy_async(&ring[ahead % STAGES][threadIdx.x], source + ahead * 64, 16);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    const float4 v = ring[k % STAGES][threadIdx.x];
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
template __global__ void multi_stage_sum<3>(const float4*, float4*, int);
template __global__ void multi_stage_sum<4>(const float4*, float4*, int);

__global__ void pipeline_matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[2][16][16], b[2][16][16];
  auto pipe = cuda::make_pipeline();
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  auto fetch = [&](int stage, int k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&a[stage][ty][tx], &A[row * n + k * 16 + tx], sizeof(float), pipe);
    cuda::memcpy_async(&b[stage][ty][tx], &B[(k * 16 + ty) * n + col], sizeof(float), pipe);
    pipe.producer_commit();
  };
  fetch(0, 0);
  float sum = 0;
  const int tiles = n / 16;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) {
      fetch((k + 1) & 1, k + 1);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else {
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += a[k & 1][ty][j] * b[k & 1][j][tx];
    __syncthreads();
    pipe.consumer_release();
  }
  C[row * n + col] = sum;
}

// One warp loads, three compute; named barriers hand the buffer over.
__device__ __forceinline__ void bar_sync(int id, int count) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__device__ __forceinline__ void bar_arrive(int id, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory"); }
__global__ void producer_consumer(const float* in, float* out, int rounds) {
  __shared__ float buffer[2][96];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float* source = in + blockIdx.x * rounds * 96;
  if (warp == 0) {
    for (int r = 0; r < rounds; ++r) {
      const int slot = r & 1;
      if (r > 1) bar_sync(3 + slot, 128);
      for (int i = lane; i < 96; i += 32) buffer[slot][i] = source[r * 96 + i];
      bar_arrive(1 + slot, 128);
    }
  } else {
    float sum = 0;
    const int t = threadIdx.x - 32;
    for (int r = 0; r < rounds; ++r) {
      const int slot = r & 1;
      bar_sync(1 + slot, 128);
      sum += buffer[slot][t] * buffer[slot][95 - t];
      if (r + 2 < rounds) bar_arrive(3 + slot, 128);
    }
    out[blockIdx.x * 96 + t] = sum;
  }
}

__global__ void group_copy(const int* in, int* out, int batch) {
  extern __shared__ int staged[];
  cg::thread_block block = cg::this_thread_block();
  const int* source = in + blockIdx.x * batch;
  cg::memcpy_async(block, staged, source, sizeof(int) * batch);
  cg::wait(block);
  for (int i = block.thread_rank(); i < batch; i += block.size()) out[blockIdx.x * batch + i] = staged[batch - 1 - i];
}

__global__ void barrier_copy(const float* in, float* out, int n) {
  __shared__ float tile[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
  const int base = blockIdx.x * 256;
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (base + i < n) cuda::memcpy_async(&tile[i], in + base + i, sizeof(float), ready);
  ready.arrive_and_wait();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (base + i < n) out[base + i] = tile[i ^ 1] + 1.0f;
}

__global__ void __cluster_dims__(2, 1, 1) cluster_histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned mine[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) mine[threadIdx.x] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i] >> 2;
    unsigned* there = cluster.map_shared_rank(mine, bin / 32);
    atomicAdd(there + bin % 32, 1u);
  }
  cluster.sync();
  if (threadIdx.x < 32) atomicAdd(bins + cluster.block_rank() * 32 + threadIdx.x, mine[threadIdx.x]);
}

__global__ void __cluster_dims__(4) cluster_sum(const float* in, float* out, int n) {
  __shared__ float part[64];
  cg::cluster_group cluster = cg::this_cluster();
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  part[threadIdx.x] = v;
  __syncthreads();
  for (int s = 32; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float total = 0;
    for (int r = 0; r < 4; ++r) total += *cluster.map_shared_rank(part, r);
    out[blockIdx.x / 4] = total;
  }
  cluster.sync();
}

using namespace nvcuda;
__global__ void wmma_two_tiles(const half* a, const half* b, const float* bias, float* c, int n, int k) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int tiles = n / 16, row = warp / (tiles / 2), col = warp % (tiles / 2) * 2;
  if (row >= tiles) return;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2];
  for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(acc[i], bias + (col + i) * 16, 0, wmma::mem_row_major);
  for (int kk = 0; kk < k; kk += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, a + row * 16 * k + kk, k);
    for (int i = 0; i < 2; ++i) {
      wmma::load_matrix_sync(fb, b + (col + i) * 16 * k + kk, k);
      wmma::mma_sync(acc[i], fa, fb, acc[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int e = 0; e < acc[i].num_elements; ++e) acc[i].x[e] = fmaxf(acc[i].x[e], 0.f);
    wmma::store_matrix_sync(c + row * 16 * n + (col + i) * 16, acc[i], n, wmma::mem_row_major);
  }
}

__device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const half* at) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
__device__ __forceinline__ void ldmatrix_x2_trans(unsigned (&r)[2], const half* at) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(address));
}
__device__ __forceinline__ void mma_16816(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// 32x32 of C for a block of one warp pair, A and B staged by cp.async with padded rows.
__global__ void mma_staged(const half* A, const half* B, float* C, int k, int n) {
  __shared__ __align__(16) half sa[2][32][24], sb[2][16][40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  auto stage = [&](int buffer, int at) {
    const int r = threadIdx.x / 2, c = threadIdx.x % 2 * 8;
    __pipeline_memcpy_async(&sa[buffer][r][c], A + (blockIdx.y * 32 + r) * k + at + c, 16);
    const int br = threadIdx.x / 4, bc = threadIdx.x % 4 * 8;
    __pipeline_memcpy_async(&sb[buffer][br][bc], B + (at + br) * n + blockIdx.x * 32 + bc, 16);
    __pipeline_commit();
  };
  stage(0, 0);
  for (int at = 0, buffer = 0; at < k; at += 16, buffer ^= 1) {
    if (at + 16 < k) {
      stage(buffer ^ 1, at + 16);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    unsigned fa[4];
    ldmatrix_x4(fa, &sa[buffer][warp * 16 + lane % 16][lane / 16 * 8]);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      unsigned fb[2];
      ldmatrix_x2_trans(fb, &sb[buffer][lane % 16][j * 8]);
      mma_16816(acc[j], fa, fb);
    }
    __syncthreads();
  }
  const int row = blockIdx.y * 32 + warp * 16 + lane / 4, col = blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    *reinterpret_cast<float2*>(C + row * n + col + j * 8) = make_float2(acc[j][0], acc[j][1]);
    *reinterpret_cast<float2*>(C + (row + 8) * n + col + j * 8) = make_float2(acc[j][2], acc[j][3]);
  }
}

// Tiles of four, coalesced groups, a labelled partition.
__global__ void tile_of_four_max(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : INT_MIN;
  for (int d = tile.size() / 2; d > 0; d /= 2) v = max(v, tile.shfl_down(v, d));
  if (tile.thread_rank() == 0 && i < n) out[i / 4] = v;
}
__global__ void labelled_counts(const int* labels, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cg::coalesced_group active = cg::coalesced_threads();
  auto same = cg::labeled_partition(active, labels[i]);
  if (same.thread_rank() == 0) atomicAdd(out + labels[i], same.size());
}
