// Linear algebra, transforms, sparse formats, attention.
#include <cuComplex.h>
#include <cuda_fp16.h>

__global__ void fft16_each(float2* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[__brev(k) >> 28] = data[i * 16 + k];
#pragma unroll
  for (int half = 1; half < 16; half *= 2)
#pragma unroll
    for (int base = 0; base < 16; base += 2 * half)
#pragma unroll
      for (int k = 0; k < half; ++k) {
        float s, c;
        sincospif(-(float)k / half, &s, &c);
        const float2 a = v[base + k], b = v[base + k + half];
        const float2 t = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
        v[base + k] = make_float2(a.x + t.x, a.y + t.y);
        v[base + k + half] = make_float2(a.x - t.x, a.y - t.y);
      }
#pragma unroll
  for (int k = 0; k < 16; ++k) data[i * 16 + k] = v[k];
}
__global__ void stockham_radix2(const cuFloatComplex* in, cuFloatComplex* out, int n, int half) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n / 2) return;
  const int k = t & (half - 1);
  const cuFloatComplex a = in[t], b = in[t + n / 2];
  float s, c;
  sincosf(-3.14159265f * k / half, &s, &c);
  const cuFloatComplex w = cuCmulf(b, make_cuFloatComplex(c, s));
  const int at = ((t - k) << 1) + k;
  out[at] = cuCaddf(a, w);
  out[at + half] = cuCsubf(a, w);
}
__global__ void lu_columns(float* a, int n) {
  extern __shared__ float m[];
  float* mine = a + blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = mine[i] + (i / n == i % n ? 4.0f * n : 0.0f);
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    for (int r = k + 1 + threadIdx.x; r < n; r += blockDim.x) {
      const float f = m[r * n + k] / m[k * n + k];
      m[r * n + k] = f;
      for (int c = k + 1; c < n; ++c) m[r * n + c] -= f * m[k * n + c];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) mine[i] = m[i];
}
__global__ void cholesky_block(double* a, int n) {
  const int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (t == k) a[k * n + k] = sqrt(fabs(a[k * n + k]) + n);
    __syncthreads();
    if (t > k && t < n) a[t * n + k] /= a[k * n + k];
    __syncthreads();
    if (t > k && t < n)
      for (int c = k + 1; c <= t; ++c) a[t * n + c] -= a[t * n + k] * a[c * n + k];
    __syncthreads();
  }
}
__global__ void cg_update(float* x, float* r, const float* p, const float* ap, const float* rr, const float* pap, float* partial, int n) {
  const float alpha = *rr / (*pap + 1.0f);
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    x[i] += alpha * p[i];
    const float v = r[i] - alpha * ap[i];
    r[i] = v;
    sum += v * v;
  }
  __shared__ float warps[32];
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
  if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < (blockDim.x + 31) / 32 ? warps[threadIdx.x] : 0.f;
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  }
}
__global__ void gauss_seidel_wave(float* u, const float* f, int n, int wave) {
  const int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = wave - i;
  if (i < n - 1 && j >= 1 && j < n - 1)
    u[j * n + i] = 0.25f * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i] - f[j * n + i]);
}
__global__ void qr_givens_each(float* m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[3][3];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) a[r][c] = m[(r * 3 + c) * n + i];
  for (int c = 0; c < 2; ++c)
    for (int r = 2; r > c; --r) {
      const float x = a[r - 1][c], y = a[r][c];
      if (fabsf(y) < 1e-7f) continue;
      const float h = rsqrtf(x * x + y * y), cs = x * h, sn = y * h;
      for (int k = 0; k < 3; ++k) {
        const float u = a[r - 1][k], v = a[r][k];
        a[r - 1][k] = cs * u + sn * v;
        a[r][k] = cs * v - sn * u;
      }
    }
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m[(r * 3 + c) * n + i] = a[r][c];
}

// Sparse.
__global__ void ell_spmv(const int* cols, const float* values, const float* x, float* y, int rows, int width) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.f;
  for (int k = 0; k < width; ++k) {
    const int c = cols[k * rows + r];
    if (c % 5 == 0) break;
    sum += values[k * rows + r] * x[c];
  }
  y[r] = sum;
}
__global__ void coo_segmented(const int* rows, const int* cols, const float* values, const float* x, float* y, int nnz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int row = i < nnz ? rows[i] : -1;
  float v = i < nnz ? values[i] * x[cols[i]] : 0.f;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const float other = __shfl_up_sync(~0u, v, d);
    const int other_row = __shfl_up_sync(~0u, row, d);
    if (lane >= d && other_row == row) v += other;
  }
  const int next = __shfl_down_sync(~0u, row, 1);
  if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], v);
}
template <int B>
__global__ void bsr_rows(const int* row, const int* col, const float* blocks, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.y + threadIdx.y, k = threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int b = row[r]; b < row[r + 1]; ++b) {
    const float* block = blocks + b * B * B + k * B;
#pragma unroll
    for (int c = 0; c < B; ++c) sum += block[c] * x[(col[b] & 63) * B + c];
  }
  y[r * B + k] = sum;
}
template __global__ void bsr_rows<4>(const int*, const int*, const float*, const float*, float*, int);
__global__ void sell_slices(const int* slice, const int* cols, const float* values, const float* x, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const int s = r / 32, lane = r % 32;
  float sum = 0;
  for (int at = slice[s] * 32 + lane; at < slice[s + 1] * 32; at += 32) sum = fmaf(values[at & 8191], x[cols[at & 8191]], sum);
  y[r] = sum;
}
__global__ void csr_transpose_count(const int* cols, int* counts, int nnz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i < nnz; i += blockDim.x * gridDim.x) atomicAdd(counts + cols[i], 1);
}

// Attention.
template <int D>
__global__ void attention_rows(const float* q, const float* k, const float* v, float* out, int keys, float scale, bool causal) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float mine[D], sum[D];
#pragma unroll
  for (int d = 0; d < D; ++d) {
    mine[d] = q[row * D + d] * scale;
    sum[d] = 0;
  }
  float top = -1e30f, weight = 0;
  const int last = causal ? min(keys, row + 1) : keys;
  for (int j = 0; j < last; ++j) {
    float s = 0;
#pragma unroll
    for (int d = 0; d < D; ++d) s += mine[d] * k[j * D + d];
    const float bigger = fmaxf(top, s), shrink = __expf(top - bigger), p = __expf(s - bigger);
    weight = weight * shrink + p;
#pragma unroll
    for (int d = 0; d < D; ++d) sum[d] = sum[d] * shrink + p * v[j * D + d];
    top = bigger;
  }
#pragma unroll
  for (int d = 0; d < D; ++d) out[row * D + d] = sum[d] / weight;
}
template __global__ void attention_rows<8>(const float*, const float*, const float*, float*, int, float, bool);
__global__ void paged_keys(const half* pages, const int* table, const half* query, float* scores, int length, int page) {
  const int lane = threadIdx.x, head = blockIdx.x;
  for (int at = threadIdx.y; at < length; at += blockDim.y) {
    const half* key = pages + ((table[at / page] & 7) * page + at % page) * 64;
    float sum = __half2float(key[lane]) * __half2float(query[head * 64 + lane]) + __half2float(key[lane + 32]) * __half2float(query[head * 64 + lane + 32]);
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) scores[head * length + at] = sum;
  }
}
__global__ void alibi_softmax(float* scores, int cols, float slope) {
  float* row = scores + blockIdx.x * cols;
  __shared__ float reduced;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float s = row[c] - slope * (cols - 1 - c);
    row[c] = s;
    top = fmaxf(top, s);
  }
  for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_down_sync(~0u, top, d));
  if (threadIdx.x == 0) reduced = top;
  __syncwarp();
  top = reduced;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += expf(row[c] - top);
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  __syncwarp();
  if (threadIdx.x == 0) reduced = 1.0f / sum;
  __syncwarp();
  for (int c = threadIdx.x; c < cols; c += 32) row[c] = expf(row[c] - top) * reduced;
}
__global__ void conv1d_causal(const float* x, const float* w, const float* bias, float* y, int channels, int length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (t >= length) return;
  float sum = bias[c];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (t - 3 + k >= 0) sum += w[c * 4 + k] * x[c * length + t - 3 + k];
  y[c * length + t] = sum / (1.f + expf(-sum));
}
__global__ void scan_state(const float* a, const float* b, float* h, int length, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= width) return;
  float state = 0;
  for (int t = 0; t < length; ++t) {
    state = a[t * width + c] * state + b[t * width + c];
    h[t * width + c] = state;
  }
}
