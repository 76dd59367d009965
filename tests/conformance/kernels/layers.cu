// Parts of networks and small linear algebra as people type them.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, offset));
  return v;
}
__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset >>= 1) v += __shfl_xor_sync(0xffffffff, v, offset);
  return v;
}

__global__ void softmax_block(const float* x, float* y, int cols) {
  __shared__ float part[32];
  const float* row = x + blockIdx.x * cols;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float best = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) best = fmaxf(best, row[i]);
  best = warp_max(best);
  if (lane == 0) part[warp] = best;
  __syncthreads();
  best = warp_max(lane < warps ? part[lane] : -INFINITY);
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float e = expf(row[i] - best);
    y[blockIdx.x * cols + i] = e;
    sum += e;
  }
  sum = warp_sum(sum);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = warp_sum(lane < warps ? part[lane] : 0.f);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] /= sum;
}

__global__ void layer_norm_float4(const float4* x, const float4* gamma, const float4* beta, float4* y, int n4, float eps) {
  const float4* row = x + blockIdx.x * n4;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < n4; i += 32) {
    float4 v = row[i];
    s += v.x + v.y + v.z + v.w;
    q += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  s = warp_sum(s);
  q = warp_sum(q);
  float mean = s / (4 * n4), scale = rsqrtf(q / (4 * n4) - mean * mean + eps);
  for (int i = threadIdx.x; i < n4; i += 32) {
    float4 v = row[i], g = gamma[i], b = beta[i];
    v.x = (v.x - mean) * scale * g.x + b.x;
    v.y = (v.y - mean) * scale * g.y + b.y;
    v.z = (v.z - mean) * scale * g.z + b.z;
    v.w = (v.w - mean) * scale * g.w + b.w;
    y[blockIdx.x * n4 + i] = v;
  }
}

__global__ void gelu_tanh_half2(const __half2* in, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 v = __half22float2(in[i]);
  v.x = 0.5f * v.x * (1.f + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
  v.y = 0.5f * v.y * (1.f + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
  out[i] = __float22half2_rn(v);
}

__global__ void rope_heads(float* q, int seq, int heads, int dim, float base) {
  int pos = blockIdx.x, head = blockIdx.y;
  for (int i = threadIdx.x; i < dim / 2; i += blockDim.x) {
    float angle = pos * powf(base, -2.f * i / dim);
    float c, s;
    sincosf(angle, &s, &c);
    float* p = q + (pos * heads + head) * dim + 2 * i;
    float a = p[0], b = p[1];
    p[0] = a * c - b * s;
    p[1] = a * s + b * c;
  }
}

__global__ void attention_scores(const float* q, const float* k, const float* v, float* out, int n, int d) {
  extern __shared__ float row[];
  int i = blockIdx.x;
  float scale = rsqrtf((float)d);
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float s = 0;
    if (j <= i) {
      for (int t = 0; t < d; ++t) s += q[i * d + t] * k[j * d + t];
      s *= scale;
    } else {
      s = -1e9f;
    }
    row[j] = s;
  }
  __syncthreads();
  __shared__ float top, total;
  if (threadIdx.x == 0) {
    float m = row[0];
    for (int j = 1; j < n; ++j) m = max(m, row[j]);
    float t = 0;
    for (int j = 0; j < n; ++j) t += __expf(row[j] - m);
    top = m;
    total = t;
  }
  __syncthreads();
  for (int t = threadIdx.x; t < d; t += blockDim.x) {
    float sum = 0;
    for (int j = 0; j <= i; ++j) sum += __expf(row[j] - top) * v[j * d + t];
    out[i * d + t] = sum / total;
  }
}

__global__ void gemm_int8_tiled(const int* a, const int* b, int* c, int m, int n, int k4) {
  __shared__ int sa[8][9];
  __shared__ int sb[8][9];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
  int sum = 0;
  for (int t = 0; t < k4; t += 8) {
    sa[ty][tx] = (row < m && t + tx < k4) ? a[row * k4 + t + tx] : 0;
    sb[ty][tx] = (blockIdx.x * 8 + ty < n && t + tx < k4) ? b[(blockIdx.x * 8 + ty) * k4 + t + tx] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) sum = __dp4a(sa[ty][i], sb[tx][i], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

__global__ void half_dot_rows(const __half* a, const __half* x, float* y, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += __half2float(a[blockIdx.x * cols + c]) * __half2float(x[c]);
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(~0u, sum, o);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

__global__ void wmma_bias(const __half* a, const __half* b, float* c, int n, int k) {
  using namespace nvcuda;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int tile_row = warp / (n / 16), tile_col = warp % (n / 16);
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::load_matrix_sync(acc, c + tile_row * 16 * n + tile_col * 16, n, wmma::mem_row_major);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + tile_row * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + tile_col * 16 * k + i, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  for (int t = 0; t < acc.num_elements; ++t) acc.x[t] = acc.x[t] > 0 ? acc.x[t] : 0;
  wmma::store_matrix_sync(c + tile_row * 16 * n + tile_col * 16, acc, n, wmma::mem_row_major);
}

__global__ void pipelined_rows(const float* in, float* out, int rows) {
  __shared__ float buffer[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&buffer[0][t], &in[t], 4);
  __pipeline_commit();
  float sum = 0;
  for (int r = 0; r < rows; ++r) {
    if (r + 1 < rows) {
      __pipeline_memcpy_async(&buffer[(r + 1) & 1][t], &in[(r + 1) * 128 + t], 4);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    sum += buffer[r & 1][127 - t] * (r + 1);
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void sgemm_2d_block(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M,
                               int N, int K) {
  const int BM = 32, BN = 32, BK = 8, TM = 4, TN = 2;
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  int thread_col = threadIdx.x % (BN / TN), thread_row = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[TM * TN] = {0.0f}, reg_m[TM], reg_n[TN];
  for (int bk = 0; bk < K; bk += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += blockDim.x) As[i] = A[(i / BK) * K + i % BK];
    for (int i = threadIdx.x; i < BK * BN; i += blockDim.x) Bs[i] = B[(i / BN) * N + i % BN];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int dot = 0; dot < BK; ++dot) {
      for (int i = 0; i < TM; ++i) reg_m[i] = As[(thread_row * TM + i) * BK + dot];
      for (int i = 0; i < TN; ++i) reg_n[i] = Bs[dot * BN + thread_col * TN + i];
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) acc[m * TN + n] += reg_m[m] * reg_n[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < TM; ++m)
    for (int n = 0; n < TN; ++n) C[(thread_row * TM + m) * N + thread_col * TN + n] = acc[m * TN + n];
}

__global__ void mat_vec_block(const double* a, const double* x, double* y, int rows, int cols) {
  extern __shared__ double cache[];
  int row = blockIdx.x;
  double s = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += a[row * cols + c] * x[c];
  cache[threadIdx.x] = s;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) y[row] = cache[0];
}

__global__ void lu_step(float* a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
  int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
  if (i < n && j < n) {
    float factor = a[i * n + k] / (fabsf(a[k * n + k]) + 1.f);
    a[i * n + j] -= factor * a[k * n + j];
  }
}

__global__ void gram_schmidt_column(const float* q, float* a, float* r, int n, int k, int j0) {
  int j = j0 + blockIdx.x;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += q[i * n + k] * a[i * n + j];
  s = warp_sum(s);
  if ((threadIdx.x & 31) == 0) r[k * n + j] = s;
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i * n + j] -= s * q[i * n + k];
}
