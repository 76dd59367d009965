// Kernels of neural networks as people write them by hand.
#include <cuda_fp16.h>

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
  return v;
}
__device__ float block_sum(float v, float* scratch) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  v = warp_sum(v);
  if (lane == 0) scratch[warp] = v;
  __syncthreads();
  v = threadIdx.x < (blockDim.x + 31) / 32 ? scratch[lane] : 0.0f;
  if (warp == 0) v = warp_sum(v);
  if (threadIdx.x == 0) scratch[0] = v;
  __syncthreads();
  return scratch[0];
}

// Online softmax, a block a row.
__global__ void online_softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
  __shared__ float smem_m[32], smem_d[32];
  const float* row = x + blockIdx.x * cols;
  float m = -INFINITY, d = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float v = row[i];
    if (v > m) {
      d *= __expf(m - v);
      m = v;
    }
    d += __expf(v - m);
  }
  float wm = warp_max(m);
  d = warp_sum(d * __expf(m - wm));
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  if (lane == 0) {
    smem_m[warp] = wm;
    smem_d[warp] = d;
  }
  __syncthreads();
  if (warp == 0) {
    float tm = lane < warps ? smem_m[lane] : -INFINITY;
    float td = lane < warps ? smem_d[lane] : 0.0f;
    float bm = warp_max(tm);
    td = warp_sum(td * __expf(tm - bm));
    if (lane == 0) {
      smem_m[0] = bm;
      smem_d[0] = td;
    }
  }
  __syncthreads();
  float inv = 1.0f / smem_d[0];
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    y[blockIdx.x * cols + i] = __expf(row[i] - smem_m[0]) * inv;
}

__global__ void rms_norm(const float4* x, const float4* w, float4* y, int n4, float eps) {
  __shared__ float scratch[32];
  float s = 0.f;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    float4 v = x[blockIdx.x * n4 + i];
    s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  float r = rsqrtf(block_sum(s, scratch) / (4 * n4) + eps);
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    float4 v = x[blockIdx.x * n4 + i], g = w[i];
    y[blockIdx.x * n4 + i] = make_float4(v.x * r * g.x, v.y * r * g.y, v.z * r * g.z, v.w * r * g.w);
  }
}

__global__ void rope(float* q, const float* cosines, const float* sines, int heads, int dim) {
  int token = blockIdx.x;
  for (int i = threadIdx.x; i < heads * dim / 2; i += blockDim.x) {
    int head = i / (dim / 2), k = i % (dim / 2);
    float* p = q + (token * heads + head) * dim;
    float c = cosines[token * (dim / 2) + k], s = sines[token * (dim / 2) + k];
    float a = p[k], b = p[k + dim / 2];
    p[k] = a * c - b * s;
    p[k + dim / 2] = a * s + b * c;
  }
}

__global__ void rope_half2(half2* q, const float2* rotation, int pairs, int tokens) {
  int t = blockIdx.y, k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= pairs || t >= tokens) return;
  float2 v = __half22float2(q[t * pairs + k]);
  float2 r = rotation[t * pairs + k];
  q[t * pairs + k] = __floats2half2_rn(v.x * r.x - v.y * r.y, v.x * r.y + v.y * r.x);
}

template <int K>
__global__ void top_k(const float* scores, float* values, int* indices, int n) {
  float best[K];
  int at[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    best[k] = -1e30f;
    at[k] = -1;
  }
  const float* row = scores + (blockIdx.x * blockDim.x + threadIdx.x) * n;
  for (int i = 0; i < n; ++i) {
    float v = row[i];
    int w = i;
#pragma unroll
    for (int k = 0; k < K; ++k)
      if (v > best[k]) {
        float tv = best[k];
        int ti = at[k];
        best[k] = v;
        at[k] = w;
        v = tv;
        w = ti;
      }
  }
#pragma unroll
  for (int k = 0; k < K; ++k) {
    values[(blockIdx.x * blockDim.x + threadIdx.x) * K + k] = best[k];
    indices[(blockIdx.x * blockDim.x + threadIdx.x) * K + k] = at[k];
  }
}

template __global__ void top_k<4>(const float*, float*, int*, int);
template __global__ void top_k<8>(const float*, float*, int*, int);

__global__ void gemm_dp4a(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c, int m,
                          int n, int k4) {
  __shared__ int as[16][17], bs[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, sum = 0;
  for (int t = 0; t < (k4 + 15) / 16; ++t) {
    int ka = t * 16 + threadIdx.x, kb = t * 16 + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = (row < m && ka < k4) ? a[row * k4 + ka] : 0;
    bs[threadIdx.x][threadIdx.y] = (col < n && kb < k4) ? b[col * k4 + kb] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum = __dp4a(as[threadIdx.y][k], bs[threadIdx.x][k], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void im2col(const float* im, float* col, int channels, int h, int w, int k, int pad, int stride) {
  int ho = (h + 2 * pad - k) / stride + 1, wo = (w + 2 * pad - k) / stride + 1;
  int n = channels * ho * wo;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int x = index % wo, y = index / wo % ho, c = index / wo / ho;
    float* out = col + (c * k * k * ho + y) * wo + x;
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) {
        int yy = y * stride - pad + i, xx = x * stride - pad + j;
        *out = (yy >= 0 && xx >= 0 && yy < h && xx < w) ? im[(c * h + yy) * w + xx] : 0;
        out += ho * wo;
      }
  }
}

__global__ void average_pool(const float* in, float* out, int h, int w, int window) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int wo = w / window, ho = h / window;
  if (x >= wo || y >= ho) return;
  float sum = 0;
  for (int i = 0; i < window; i++)
    for (int j = 0; j < window; j++) sum += in[(blockIdx.z * h + y * window + i) * w + x * window + j];
  out[(blockIdx.z * ho + y) * wo + x] = sum / (window * window);
}

// Small products, one a warp: 8 x 8 matrices.
__global__ void batched_8x8(const float* a, const float* b, float* c, int count) {
  __shared__ float sa[4][64], sb[4][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, which = blockIdx.x * 4 + warp;
  if (which >= count) return;
  sa[warp][lane] = a[which * 64 + lane];
  sa[warp][lane + 32] = a[which * 64 + lane + 32];
  sb[warp][lane] = b[which * 64 + lane];
  sb[warp][lane + 32] = b[which * 64 + lane + 32];
  __syncwarp();
  for (int e = lane; e < 64; e += 32) {
    float s = 0;
    for (int k = 0; k < 8; ++k) s += sa[warp][e / 8 * 8 + k] * sb[warp][k * 8 + e % 8];
    c[which * 64 + e] = s;
  }
}

__global__ void depthwise(const float* in, const float* filter, float* out, int h, int w) {
  extern __shared__ float tile[];
  const int tw = blockDim.x + 2;
  const float* plane = in + blockIdx.z * h * w;
  int x0 = blockIdx.x * blockDim.x, y0 = blockIdx.y * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < tw * (blockDim.y + 2);
       i += blockDim.x * blockDim.y) {
    int y = y0 + i / tw - 1, x = x0 + i % tw - 1;
    tile[i] = (x < 0 || y < 0 || x >= w || y >= h) ? 0.f : plane[y * w + x];
  }
  __syncthreads();
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < w && y < h) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
      for (int j = 0; j < 3; ++j)
        s += tile[(threadIdx.y + i) * tw + threadIdx.x + j] * filter[blockIdx.z * 9 + i * 3 + j];
    out[(blockIdx.z * h + y) * w + x] = s;
  }
}

// One query a warp over keys of 64 floats, values accumulated two columns a lane.
__global__ void attention_warp(const float* q, const float* k, const float* v, float* o, int n) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float q0 = q[row * 64 + lane], q1 = q[row * 64 + 32 + lane];
  float m = -1e30f, l = 0, a0 = 0, a1 = 0;
  for (int j = 0; j <= row; ++j) {
    float s = warp_sum(q0 * k[j * 64 + lane] + q1 * k[j * 64 + 32 + lane]) * 0.125f;
    float mn = fmaxf(m, s), scale = __expf(m - mn), p = __expf(s - mn);
    l = l * scale + p;
    a0 = a0 * scale + p * v[j * 64 + lane];
    a1 = a1 * scale + p * v[j * 64 + 32 + lane];
    m = mn;
  }
  o[row * 64 + lane] = a0 / l;
  o[row * 64 + 32 + lane] = a1 / l;
}

__global__ void cross_entropy(const float* logits, const int* labels, float* loss, int classes, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = logits[r * classes];
  for (int c = 1; c < classes; ++c) m = fmaxf(m, logits[r * classes + c]);
  float s = 0.f;
  for (int c = 0; c < classes; ++c) s += expf(logits[r * classes + c] - m);
  loss[r] = logf(s) + m - logits[r * classes + labels[r]];
}

__global__ void embedding_backward(const int* tokens, const float* grad, float* table, int dim,
                                   int vocabulary) {
  int t = tokens[blockIdx.x];
  if (t < 0 || t >= vocabulary) return;
  for (int d = threadIdx.x; d < dim; d += blockDim.x)
    atomicAdd(&table[t * dim + d], grad[blockIdx.x * dim + d]);
}

__global__ void bias_gelu_half(const __half2* x, const __half2* bias, __half2* y, int n2, int cols2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n2) {
    float2 v = __half22float2(__hadd2(x[i], bias[i % cols2]));
    v.x = 0.5f * v.x * (1.f + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
    v.y = 0.5f * v.y * (1.f + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
    y[i] = __floats2half2_rn(v.x, v.y);
  }
}

__global__ void quantise_rows(const float* x, signed char* q, float* scales, int cols) {
  __shared__ float scratch[8];
  float m = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, fabsf(x[blockIdx.x * cols + i]));
  m = warp_max(m);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = m;
  __syncthreads();
  m = scratch[0];
  for (int w = 1; w < blockDim.x / 32; ++w) m = fmaxf(m, scratch[w]);
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    q[blockIdx.x * cols + i] = (signed char)__float2int_rn(x[blockIdx.x * cols + i] * (127.f / m));
  if (threadIdx.x == 0) scales[blockIdx.x] = m / 127.f;
}

__global__ void lstm_cell(const float* gates, float* cell, float* hidden, int n, int batch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * batch) return;
  int b = i / n, k = i % n;
  const float* g = gates + b * 4 * n;
  float in = 1.f / (1.f + expf(-g[k])), forget = 1.f / (1.f + expf(-g[n + k]));
  float candidate = tanhf(g[2 * n + k]), out = 1.f / (1.f + expf(-g[3 * n + k]));
  float c = forget * cell[i] + in * candidate;
  cell[i] = c;
  hidden[i] = out * tanhf(c);
}
