// Neural networks, tensor cores, asynchronous copies.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <mma.h>
#include <cstdint>
namespace cg = cooperative_groups;
using namespace nvcuda;

__global__ void softmax_three_passes(const float* in, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const float* x = in + r * cols;
  float hi = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) hi = fmaxf(hi, x[c]);
  for (int c = 0; c < cols; ++c) sum += expf(x[c] - hi);
  for (int c = 0; c < cols; ++c) out[r * cols + c] = expf(x[c] - hi) / sum;
}
__global__ void softmax_block_shared(const float* in, float* out, int cols) {
  extern __shared__ float row[];
  __shared__ float best, total;
  const float* x = in + blockIdx.x * cols;
  float hi = -1e30f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    row[c] = x[c];
    hi = fmaxf(hi, row[c]);
  }
  for (int d = 16; d; d /= 2) hi = fmaxf(hi, __shfl_xor_sync(~0u, hi, d));
  if (threadIdx.x == 0) best = hi;
  __syncwarp();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    row[c] = __expf(row[c] - best);
    sum += row[c];
  }
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0) total = 1.f / sum;
  __syncwarp();
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = row[c] * total;
}
__global__ void layer_norm_half(const __half2* in, __half2* out, const __half2* gamma, const __half2* beta, int pairs) {
  __shared__ float2 part[4];
  const __half2* x = in + (size_t)blockIdx.x * pairs;
  float s = 0, q = 0;
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    float2 v = __half22float2(x[c]);
    s += v.x + v.y;
    q += v.x * v.x + v.y * v.y;
  }
  for (int d = 16; d; d >>= 1) {
    s += __shfl_xor_sync(~0u, s, d);
    q += __shfl_xor_sync(~0u, q, d);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(s, q);
  __syncthreads();
  s = q = 0;
  for (int k = 0; k < 4; ++k) s += part[k].x, q += part[k].y;
  float mean = s / (2 * pairs), inv = rsqrtf(q / (2 * pairs) - mean * mean + 1e-5f);
  for (int c = threadIdx.x; c < pairs; c += blockDim.x) {
    float2 v = __half22float2(x[c]), g = __half22float2(gamma[c]), b = __half22float2(beta[c]);
    out[(size_t)blockIdx.x * pairs + c] = __floats2half2_rn((v.x - mean) * inv * g.x + b.x, (v.y - mean) * inv * g.y + b.y);
  }
}
__global__ void attention_one_query(const float* Q, const float* K, const float* V, float* O, int seq, int dim, float scale) {
  extern __shared__ float scores[];
  int head = blockIdx.y, q = blockIdx.x;
  const float* query = Q + (head * gridDim.x + q) * dim;
  const float* key = K + head * seq * dim;
  const float* value = V + head * seq * dim;
  for (int k = threadIdx.x; k <= q && k < seq; k += blockDim.x) {
    float dot = 0;
    for (int d = 0; d < dim; ++d) dot += query[d] * key[k * dim + d];
    scores[k] = dot * scale;
  }
  __syncthreads();
  int keys = min(q + 1, seq);
  float hi = -1e30f, sum = 0;
  for (int k = 0; k < keys; ++k) hi = fmaxf(hi, scores[k]);
  for (int k = 0; k < keys; ++k) sum += __expf(scores[k] - hi);
  for (int d = threadIdx.x; d < dim; d += blockDim.x) {
    float acc = 0;
    for (int k = 0; k < keys; ++k) acc += __expf(scores[k] - hi) * value[k * dim + d];
    O[(head * gridDim.x + q) * dim + d] = acc / sum;
  }
}
__global__ void gemv_q4(const uint8_t* w, const __half* scales, const float* x, float* y, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  const uint8_t* r = w + row * cols / 2;
  float sum = 0;
  for (int c = lane * 8; c < cols; c += 256) {
    uint32_t packed = *(const uint32_t*)(r + c / 2);
    float s = __half2float(scales[(row * cols + c) / 32]);
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += s * ((int)(packed >> (4 * k) & 15) - 8) * x[c + k];
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
__global__ void gemv_int8(const char4* w, const char4* x, const float* scale, float* y, int quads) {
  int row = blockIdx.x;
  int sum = 0;
  for (int c = threadIdx.x; c < quads; c += blockDim.x) {
    char4 a = w[row * quads + c], b = x[c];
    sum = __dp4a(*(int*)&a, *(int*)&b, sum);
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  __shared__ int parts[2];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) y[row] = (parts[0] + parts[1]) * scale[row];
}
__global__ void conv_direct(const float* in, const float* weight, float* out, int C, int H, int W, int K) {
  int ow = blockIdx.x * blockDim.x + threadIdx.x, oh = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (ow >= W - 2 || oh >= H - 2) return;
  float sum = 0;
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += in[(c * H + oh + i) * W + ow + j] * weight[((k * C + c) * 3 + i) * 3 + j];
  out[(k * (H - 2) + oh) * (W - 2) + ow] = fmaxf(sum, 0.f);
}
__global__ void max_pool_argmax(const float* in, float* out, int* where, int H, int W) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W / 2 || y >= H / 2) return;
  int at = 2 * y * W + 2 * x;
  float best = in[at];
  int index = at;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (in[at + i * W + j] > best) best = in[at + i * W + j], index = at + i * W + j;
  out[y * (W / 2) + x] = best;
  where[y * (W / 2) + x] = index;
}
__global__ void sgd_momentum(float* w, float* m, const float* g, float lr, float mu, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    float4 W = *(float4*)&w[i], M = *(float4*)&m[i], G = *(const float4*)&g[i];
    M.x = mu * M.x + G.x; M.y = mu * M.y + G.y; M.z = mu * M.z + G.z; M.w = mu * M.w + G.w;
    W.x -= lr * M.x; W.y -= lr * M.y; W.z -= lr * M.z; W.w -= lr * M.w;
    *(float4*)&w[i] = W;
    *(float4*)&m[i] = M;
  } else {
    for (; i < n; ++i) {
      m[i] = mu * m[i] + g[i];
      w[i] -= lr * m[i];
    }
  }
}
__global__ void silu_mul_bf16(const __nv_bfloat162* gate, const __nv_bfloat162* up, __nv_bfloat162* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]);
    g.x = g.x / (1.f + __expf(-g.x)) * u.x;
    g.y = g.y / (1.f + __expf(-g.y)) * u.y;
    out[i] = __float22bfloat162_rn(g);
  }
}
__global__ void wmma_shared(const half* A, const half* B, float* C, int n) {
  __shared__ half As[32][40];
  __shared__ half Bs[16][40];
  int warp = threadIdx.x / 32, wr = warp / 2, wc = warp % 2;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int k = 0; k < n; k += 16) {
    for (int e = threadIdx.x; e < 32 * 16; e += 128) As[e / 16][e % 16] = A[(blockIdx.y * 32 + e / 16) * n + k + e % 16];
    for (int e = threadIdx.x; e < 16 * 32; e += 128) Bs[e / 32][e % 32] = B[(k + e / 32) * n + blockIdx.x * 32 + e % 32];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::load_matrix_sync(a, &As[wr * 16][0], 40);
    wmma::load_matrix_sync(b, &Bs[0][wc * 16], 40);
    wmma::mma_sync(acc, a, b, acc);
    __syncthreads();
  }
  wmma::store_matrix_sync(C + (blockIdx.y * 32 + wr * 16) * n + blockIdx.x * 32 + wc * 16, acc, n, wmma::mem_row_major);
}
__global__ void wmma_int8(const signed char* A, const signed char* B, int* C, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  int row = blockIdx.y * 16, col = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(a, A + row * n + k, n);
    wmma::load_matrix_sync(b, B + col * n + k, n);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + row * n + col, c, n, wmma::mem_row_major);
}

// Asynchronous copies.
__global__ void double_buffer(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][128];
  int t = threadIdx.x;
  const float* from = in + blockIdx.x * tiles * 128;
  __pipeline_memcpy_async(&buffer[0][t], &from[t], sizeof(float));
  __pipeline_commit();
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&buffer[(k + 1) & 1][t], &from[(k + 1) * 128 + t], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += buffer[k & 1][t] * buffer[k & 1][127 - t];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}
__global__ void stage_float4(const float4* in, float4* out, int n) {
  __shared__ float4 s[64];
  cg::thread_block block = cg::this_thread_block();
  for (int base = blockIdx.x * 64; base < n; base += gridDim.x * 64) {
    int count = min(64, n - base);
    cg::memcpy_async(block, s, in + base, sizeof(float4) * count);
    cg::wait(block);
    if (threadIdx.x < count) {
      float4 v = s[count - 1 - threadIdx.x];
      out[base + threadIdx.x] = make_float4(v.w, v.z, v.y, v.x);
    }
    block.sync();
  }
}
__global__ void barrier_phases(const int* in, int* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int v = 0;
  for (int k = 0; k < n; ++k) {
    s[threadIdx.x] = in[(blockIdx.x * n + k) * 64 + threadIdx.x];
    auto token = bar.arrive();
    int own = k * 3;
    bar.wait(std::move(token));
    v += s[63 - threadIdx.x] + own;
    bar.arrive_and_wait();
  }
  out[blockIdx.x * 64 + threadIdx.x] = v;
}
__device__ __forceinline__ unsigned smem(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
// 32x32 halves times 32x16 halves with ldmatrix and mma, rows swizzled.
__global__ void mma_swizzled(const half* A, const half* B, float* C) {
  __shared__ __align__(16) half As[32 * 32];
  __shared__ __align__(16) half Bs[32 * 32];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  for (int e = t; e < 128; e += 64) {
    int r = e / 4, c = e % 4, s = c ^ (r >> 1 & 3);
    *(uint4*)&As[r * 32 + s * 8] = *(const uint4*)&A[blockIdx.x * 1024 + r * 32 + c * 8];
    *(uint4*)&Bs[r * 32 + s * 8] = *(const uint4*)&B[r * 32 + c * 8];
  }
  __syncthreads();
  float acc[4][4] = {};
  for (int k = 0; k < 32; k += 16) {
    unsigned a[4];
    int r = warp * 16 + lane % 16, c = k / 8 + lane / 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(smem(&As[r * 32 + (c ^ (r >> 1 & 3)) * 8])));
    for (int n = 0; n < 4; ++n) {
      unsigned b[2];
      int br = k + lane % 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(smem(&Bs[br * 32 + (n ^ (br >> 1 & 3)) * 8])));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(acc[n][0]), "+f"(acc[n][1]), "+f"(acc[n][2]), "+f"(acc[n][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int n = 0; n < 4; ++n) {
    int r = warp * 16 + lane / 4, c = n * 8 + lane % 4 * 2;
    *(float2*)&C[blockIdx.x * 1024 + r * 32 + c] = make_float2(acc[n][0], acc[n][1]);
    *(float2*)&C[blockIdx.x * 1024 + (r + 8) * 32 + c] = make_float2(acc[n][2], acc[n][3]);
  }
}
