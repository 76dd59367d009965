// What the language and the toolkit's headers offer: groups, asynchronous copies, tensor cores, calls,
// objects, locals.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void tile_of_eight_sums(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + block.thread_rank();
  float v = i < n ? in[i] : 0.f;
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0 && i < n) out[i / 8] = v;
}

__global__ void tile_of_sixteen_scan(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (unsigned d = 1; d < tile.size(); d <<= 1) {
    int up = tile.shfl_up(v, d);
    if (tile.thread_rank() >= d) v += up;
  }
  if (i < n) out[i] = v;
}

__global__ void group_maximum(const int* in, int* out, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int best = -2147483647;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    best = max(best, in[i]);
  best = cg::reduce(warp, best, cg::greater<int>());
  if (warp.thread_rank() == 0) atomicMax(out, best);
}

__global__ void coalesced_ranks(const int* in, int* rank, int* size, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] % 3 == 0) {
    cg::coalesced_group g = cg::coalesced_threads();
    rank[i] = g.thread_rank();
    size[i] = g.size();
  }
}

__global__ void stage_4_bytes(const float* in, float* out, int n) {
  __shared__ float s[200];
  int i = blockIdx.x * 200 + threadIdx.x;
  if (i < n) __pipeline_memcpy_async(&s[threadIdx.x], &in[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  int last = min(200, n - blockIdx.x * 200);
  if (i < n) out[i] = s[last - 1 - threadIdx.x];
}

__global__ void stage_8_bytes(const float2* in, float* out, int n) {
  __shared__ float2 s[2][96];
  int t = threadIdx.x, stages = n / 96;
  __pipeline_memcpy_async(&s[0][t], &in[t], 8);
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < stages; ++k) {
    if (k + 1 < stages) __pipeline_memcpy_async(&s[(k + 1) & 1][t], &in[(k + 1) * 96 + t], 8);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[k & 1][95 - t].x * s[k & 1][t].y;
    __syncthreads();
  }
  out[blockIdx.x * 96 + t] = sum;
}

__global__ void stage_16_bytes(const float4* in, float4* out, int rows) {
  __shared__ float4 s[3][8][8];
  int x = threadIdx.x, y = threadIdx.y;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (k < rows) __pipeline_memcpy_async(&s[k][y][x], &in[(k * 8 + y) * 8 + x], 16);
    __pipeline_commit();
  }
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < rows; ++k) {
    if (k + 2 < rows) __pipeline_memcpy_async(&s[(k + 2) % 3][y][x], &in[((k + 2) * 8 + y) * 8 + x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    float4 v = s[k % 3][x][y];
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
    __syncthreads();
  }
  out[(blockIdx.x * 8 + y) * 8 + x] = sum;
}

__global__ void wmma_tall(const half* a, const half* b, float* c, int k, int lda, int ldb, int ldc) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 32 * lda + i, lda);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 8 * ldb + i, ldb);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 32 * ldc + blockIdx.x * 8, fc, ldc, wmma::mem_row_major);
}

__global__ void wmma_wide_half(const half* a, const half* b, half* c, int k) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, half> fc;
  wmma::fill_fragment(fc, __float2half(0.f));
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + i * 8, 8);
    wmma::load_matrix_sync(fb, b + i * 32, 32);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int e = 0; e < fc.num_elements; ++e) fc.x[e] = __hmul(fc.x[e], __float2half(0.5f));
  wmma::store_matrix_sync(c + blockIdx.x * 256, fc, 32, wmma::mem_row_major);
}

__global__ void wmma_bf16_shared(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ __align__(32) __nv_bfloat16 sa[16 * 24], sb[16 * 24];
  __shared__ __align__(32) float sc[16 * 20];
  for (int e = threadIdx.x; e < 256; e += 32) {
    sa[e / 16 * 24 + e % 16] = a[blockIdx.x * 256 + e];
    sb[e / 16 * 24 + e % 16] = b[e];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.f);
  wmma::load_matrix_sync(fa, sa, 24);
  wmma::load_matrix_sync(fb, sb, 24);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(sc, fc, 20, wmma::mem_row_major);
  __syncwarp();
  for (int e = threadIdx.x; e < 256; e += 32) c[blockIdx.x * 256 + e] = fmaxf(sc[e / 16 * 20 + e % 16], 0.f);
}

__device__ __noinline__ float smooth_step(float a, float b, float x) {
  x = fminf(fmaxf((x - a) / (b - a), 0.f), 1.f);
  return x * x * (3.f - 2.f * x);
}

__global__ void calls_a_curve(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  if (v > 0.f)
    out[i] = smooth_step(0.f, 0.8f, v);
  else
    out[i] = -smooth_step(0.f, 0.5f, -v);
}

// Catalan numbers by their recursion.
__device__ int catalan(int n) {
  if (n <= 1) return 1;
  int s = 0;
  for (int i = 0; i < n; ++i) s += catalan(i) * catalan(n - 1 - i);
  return s;
}

__global__ void catalan_numbers(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = catalan(i % 5);
}

// A binary tree in an array; a node without a value has no children.
__device__ int depth_of(const int* value, int node, int n) {
  if (node >= n || value[node] == 0) return 0;
  int l = depth_of(value, 2 * node + 1, n), r = depth_of(value, 2 * node + 2, n);
  return 1 + (l > r ? l : r);
}

__global__ void subtree_depths(const int* value, int* depth, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) depth[i] = depth_of(value, i, n);
}

typedef float (*Operation)(float, float);
__device__ float op_add(float a, float b) {
  return a + b;
}
__device__ float op_mul(float a, float b) {
  return a * b;
}
__device__ float op_hyp(float a, float b) {
  return sqrtf(a * a + b * b);
}
__device__ Operation operations[3] = {op_add, op_mul, op_hyp};

__global__ void dispatch(const float* a, const float* b, float* out, int which, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Operation f = operations[which];
  for (; i < n; i += gridDim.x * blockDim.x) out[i] = f(a[i], b[i]);
}

class Filter {
 public:
  __device__ virtual float feed(float x) = 0;
};
class Decay : public Filter {
  float state = 0, k;

 public:
  __device__ Decay(float k) : k(k) {}
  __device__ float feed(float x) override { return state = k * state + (1 - k) * x; }
};
class Peak : public Filter {
  float most = 0;

 public:
  __device__ float feed(float x) override { return most = fmaxf(most * 0.9f, x); }
};

__global__ void follow(const float* in, float* out, int channels, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  Decay decay(0.8f);
  Peak peak;
  Filter* f = c % 2 ? static_cast<Filter*>(&decay) : static_cast<Filter*>(&peak);
  for (int i = 0; i < n; ++i) out[i * channels + c] = f->feed(in[i * channels + c]);
}

template <typename F>
__device__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}

__global__ void with_captures(const float* a, float* b, float* c, int n, float k) {
  each(n, [=](int i) { b[i] = k * a[i]; });
  each(n, [=](int i) {
    if (b[i] > 0.25f) c[i] = b[i] * b[i];
  });
}

template <typename... T>
__device__ auto total(T... v) {
  return (v + ...);
}

__global__ void fold_arguments(const int* in, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 4 < n) out[i] = total((long long)in[i], in[i + 1] >> 1, (short)in[i + 2], (unsigned char)in[i + 4]);
}

__constant__ float palette[64][3] = {{.1f, .2f, .3f}, {.4f, .5f, .6f}, {.7f, .8f, .9f}, {1.f, .9f, .8f}};

__global__ void paint(const unsigned char* index, float3* out, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = index[i] >> shift;
  out[i] = make_float3(palette[k][0], palette[k][1], palette[k][2] + palette[blockIdx.x & 3][0]);
}

__global__ void moving_local_matrix(const int* steps, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float board[4][5];
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 5; ++c) board[r][c] = r * 5 + c;
  int r = 0, c = 0, s = steps[i];
  for (int k = 0; k < 6; ++k) {
    r = (r + (s >> k & 1) + 1) & 3;
    c = (c + (s >> (k + 6) & 3)) % 5;
    board[r][c] += 0.5f * board[c & 3][r];
  }
  out[i] = board[r][c];
}

__global__ void __launch_bounds__(96, 4)
    bounded_products(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ c,
                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = 0;
#pragma unroll 8
  for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k];
  c[i] = s;
}

__global__ void volatile_ring(volatile int* ring, int* out, int turns) {
  __shared__ volatile int token[64];
  int t = threadIdx.x;
  token[t] = ring[blockIdx.x * 64 + t];
  for (int k = 0; k < turns; ++k) {
    __syncthreads();
    int v = token[(t + 1) % 64];
    __syncthreads();
    token[t] = v + 1;
  }
  out[blockIdx.x * 64 + t] = token[t];
}

__global__ void spin_add(int* lock, int* total, const int* in, int n) {
  int i = blockIdx.x;
  if (threadIdx.x == 0 && i < n) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    *(volatile int*)total += in[i];
    __threadfence();
    atomicExch(lock, 0);
  }
}

__global__ void carve_shared(const float* in, float* out, int floats, int shorts) {
  extern __shared__ __align__(8) unsigned char memory[];
  double* d = reinterpret_cast<double*>(memory);
  float* f = reinterpret_cast<float*>(d + 33);
  short* s = reinterpret_cast<short*>(f + floats);
  unsigned char* b = reinterpret_cast<unsigned char*>(s + shorts);
  int t = threadIdx.x;
  if (t < 33) d[t] = in[t] * 2.0;
  for (int k = t; k < floats; k += blockDim.x) f[k] = in[k];
  for (int k = t; k < shorts; k += blockDim.x) s[k] = (short)(k * 7);
  b[t] = (unsigned char)(t * 3);
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] =
      (float)d[t % 33] + f[(t * 5) % floats] + s[(t * 3) % shorts] + b[blockDim.x - 1 - t];
}

__device__ unsigned int arrived = 0;

__global__ void last_block_sums(const int* in, int* partial, int* total, int n) {
  __shared__ int s[96];
  __shared__ bool last;
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i] & 255;
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    int v = __reduce_add_sync(~0u, s[threadIdx.x] + s[threadIdx.x + 32] + s[threadIdx.x + 64]);
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = v;
      __threadfence();
      last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int t = 0;
    for (int b = 0; b < gridDim.x; ++b) t += ((volatile int*)partial)[b];
    *total = t;
  }
}

__global__ void exchange_doubles(double* v, const float4* in, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  v[i] += __shfl_xor_sync(~0u, v[i], 5);
  float4 q = in[i];
  q.x = __shfl_sync(~0u, q.y, threadIdx.x * 7 % 32);
  q.z = __shfl_down_sync(~0u, q.w, 3, 8);
  out[i] = q;
}

__global__ void assembly_bits(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i], r, s;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(x), "r"(y), "r"(0x0f0f0f0fu));
  asm("bfe.u32 %0, %1, 5, 11;" : "=r"(s) : "r"(y));
  r = __byte_perm(r, s, 0x2541);
  out[i] = __funnelshift_l(r, x, y & 31) + __ffs(x) + __brev(y);
}

// Rows of 32 with the column turned by the row: no padding, no conflicts.
__global__ void transpose_turned(const float* in, float* out, int w, int h) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y0 = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (x < w && y0 + j < h) tile[j][(threadIdx.x + j) & 31] = in[(y0 + j) * w + x];
  __syncthreads();
  x = y0 + threadIdx.x;
  int top = blockIdx.x * 32;
  for (int j = threadIdx.y; j < 32; j += blockDim.y)
    if (x < h && top + j < w) out[(top + j) * h + x] = tile[threadIdx.x][(j + threadIdx.x) & 31];
}
