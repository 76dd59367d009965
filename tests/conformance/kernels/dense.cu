// Dense linear algebra: products with register tiles, solvers and factorisations of small matrices,
// convolutions.
#include <cuda_fp16.h>

// C[b] = A[b] B[b]; 32x32 tiles, 4x4 values a thread, any size.
__global__ void gemm_strided_batched(const float* A, const float* B, float* C, int M, int N, int K,
                                     int stride_a, int stride_b, int stride_c) {
  __shared__ float As[8][32 + 1];
  __shared__ float Bs[8][32];
  const float* a = A + blockIdx.z * stride_a;
  const float* b = B + blockIdx.z * stride_b;
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
  int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int e = t; e < 256; e += 64) {
      int r = e / 8, k = e % 8;
      As[k][r] = row0 + r < M && k0 + k < K ? a[(row0 + r) * K + k0 + k] : 0.f;
      int kk = e / 32, c = e % 32;
      Bs[kk][c] = k0 + kk < K && col0 + c < N ? b[(k0 + kk) * N + col0 + c] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float ra[4], rb[4];
      for (int i = 0; i < 4; ++i) ra[i] = As[k][ty * 4 + i];
      for (int j = 0; j < 4; ++j) rb[j] = Bs[k][tx * 4 + j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = row0 + ty * 4 + i, c = col0 + tx * 4 + j;
      if (r < M && c < N) C[blockIdx.z * stride_c + r * N + c] = acc[i][j];
    }
}

__global__ void gemm_first_transposed(const float* A, const float* B, float* C, int M, int N, int K) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= M || c >= N) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < K; ++k) sum += A[k * M + r] * B[k * N + c];
  C[r * N + c] = 0.5f * C[r * N + c] + sum;
}

__global__ void gemm_half_pairs(const __half* A, const __half* Bt, float* C, int M, int N, int K) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= M || c >= N) return;
  const __half2* a = reinterpret_cast<const __half2*>(A + r * K);
  const __half2* b = reinterpret_cast<const __half2*>(Bt + c * K);
  float sum = 0;
  for (int k = 0; k < K / 2; ++k) {
    float2 x = __half22float2(a[k]), y = __half22float2(b[k]);
    sum += x.x * y.x + x.y * y.y;
  }
  C[r * N + c] = sum;
}

// y = A^T x: a block has 24 columns, five rows at a time, sums through shared memory.
__global__ void gemv_turned(const float* A, const float* x, float* y, int rows, int cols) {
  __shared__ float part[5][24];
  int c = blockIdx.x * 24 + threadIdx.x;
  float sum = 0;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += 5) sum += A[r * cols + c] * x[r];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < 5; ++k) sum += part[k][threadIdx.x];
    y[c] = sum;
  }
}

__global__ void gemv_float4(const float4* A, const float4* x, float* y, int rows, int quads) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0;
  for (int q = threadIdx.x; q < quads; q += 32) {
    float4 a = __ldg(&A[row * quads + q]), b = __ldg(&x[q]);
    sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  }
  for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
  if (threadIdx.x == 0) y[row] = sum;
}

template <int N>
__global__ void batched_in_registers(const float* A, const float* B, float* C, int batch) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= batch) return;
  float a[N][N], b[N][N];
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) {
      a[i][j] = A[m * N * N + i * N + j];
      b[i][j] = B[m * N * N + i * N + j];
    }
#pragma unroll
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j) {
      float s = 0;
#pragma unroll
      for (int k = 0; k < N; ++k) s += a[i][k] * b[k][j];
      C[m * N * N + i * N + j] = s;
    }
}
template __global__ void batched_in_registers<3>(const float*, const float*, float*, int);
template __global__ void batched_in_registers<6>(const float*, const float*, float*, int);

__global__ void rank_k_lower(const double* A, double* C, int n, int k) {
  __shared__ double left[8][9], right[8][9];
  if (blockIdx.x > blockIdx.y) return;
  int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
  int other = blockIdx.x * 8 + threadIdx.y;
  double sum = 0;
  for (int k0 = 0; k0 < k; k0 += 8) {
    int kk = k0 + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = r < n && kk < k ? A[r * k + kk] : 0;
    right[threadIdx.y][threadIdx.x] = other < n && kk < k ? A[other * k + kk] : 0;
    __syncthreads();
    for (int j = 0; j < 8; ++j) sum += left[threadIdx.y][j] * right[threadIdx.x][j];
    __syncthreads();
  }
  if (r < n && c <= r) C[r * n + c] = sum;
}

// L X = B, unit diagonal left out of L's use; one thread a right-hand side.
__global__ void solve_lower(const float* L, float* B, int n, int nrhs) {
  extern __shared__ float lower[];
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) lower[e] = L[e];
  __syncthreads();
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= nrhs) return;
  for (int i = 0; i < n; ++i) {
    float v = B[i * nrhs + c];
    for (int j = 0; j < i; ++j) v -= lower[i * n + j] * B[j * nrhs + c];
    B[i * nrhs + c] = v;
  }
}

__global__ void lu_pivot_warp(float* matrices, int* pivots, int n) {
  __shared__ float m[12 * 13];
  int lane = threadIdx.x;
  float* mine = matrices + blockIdx.x * n * n;
  for (int e = lane; e < n * n; e += 32) m[e / n * 13 + e % n] = mine[e];
  __syncwarp();
  for (int k = 0; k < n; ++k) {
    float best = lane >= k && lane < n ? fabsf(m[lane * 13 + k]) : -1.f;
    int at = lane;
    for (int o = 16; o; o >>= 1) {
      float v = __shfl_xor_sync(~0u, best, o);
      int w = __shfl_xor_sync(~0u, at, o);
      if (v > best || (v == best && w < at)) {
        best = v;
        at = w;
      }
    }
    if (lane == 0) pivots[blockIdx.x * n + k] = at;
    __syncwarp();
    if (at != k && lane < n) {
      float x = m[k * 13 + lane];
      m[k * 13 + lane] = m[at * 13 + lane];
      m[at * 13 + lane] = x;
    }
    __syncwarp();
    if (lane > k && lane < n) {
      float f = m[lane * 13 + k] / m[k * 13 + k];
      m[lane * 13 + k] = f;
      for (int j = k + 1; j < n; ++j) m[lane * 13 + j] -= f * m[k * 13 + j];
    }
    __syncwarp();
  }
  for (int e = lane; e < n * n; e += 32) mine[e] = m[e / n * 13 + e % n];
}

__global__ void reflect_columns(const float* v, float* A, float tau, int rows, int cols) {
  int c = blockIdx.x * blockDim.y + threadIdx.y;
  float dot = 0;
  if (c < cols)
    for (int r = threadIdx.x; r < rows; r += blockDim.x) dot += v[r] * A[r * cols + c];
  for (int o = 4; o; o >>= 1) dot += __shfl_xor_sync(~0u, dot, o, 8);
  if (c < cols)
    for (int r = threadIdx.x; r < rows; r += blockDim.x) A[r * cols + c] -= tau * dot * v[r];
}

__global__ void gauss_jordan(const float* in, float* inverse, int n) {
  __shared__ float a[9][10], b[9][10];
  int r = threadIdx.y, c = threadIdx.x;
  a[r][c] = in[(blockIdx.x * n + r) * n + c] + (r == c ? 4.f : 0.f);
  b[r][c] = r == c ? 1.f : 0.f;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    float pivot = a[k][k];
    float factor = a[r][k] / pivot;
    __syncthreads();
    if (r == k) {
      a[r][c] /= pivot;
      b[r][c] /= pivot;
    }
    __syncthreads();
    if (r != k) {
      b[r][c] -= factor * pivot * b[k][c];
      if (c != k) a[r][c] -= factor * pivot * a[k][c];
    }
    __syncthreads();
    if (r != k && c == k) a[r][c] = 0;
    __syncthreads();
  }
  inverse[(blockIdx.x * n + r) * n + c] = b[r][c];
}

__global__ void cholesky_4_each(const double* A, double* L, int n) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= n) return;
  double l[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j) {
      double s = A[m * 16 + i * 4 + j] + (i == j ? 5.0 : 0.0);
#pragma unroll
      for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(s) : s / l[j][j];
      L[m * 16 + i * 4 + j] = l[i][j];
    }
}

__global__ void kronecker(const float* A, const float* B, float* C, int ra, int ca, int rb, int cb) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < ra * rb && c < ca * cb) C[r * ca * cb + c] = A[r / rb * ca + c / cb] * B[r % rb * cb + c % cb];
}

__global__ void transpose_in_place(float* m, int n) {
  __shared__ float upper[8][9], lower[8][9];
  if (blockIdx.x < blockIdx.y) return;
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int tx = blockIdx.y * 8 + threadIdx.x, ty = blockIdx.x * 8 + threadIdx.y;
  if (x < n && y < n) upper[threadIdx.y][threadIdx.x] = m[y * n + x];
  if (tx < n && ty < n) lower[threadIdx.y][threadIdx.x] = m[ty * n + tx];
  __syncthreads();
  if (tx < n && ty < n) m[ty * n + tx] = upper[threadIdx.x][threadIdx.y];
  if (blockIdx.x != blockIdx.y && x < n && y < n) m[y * n + x] = lower[threadIdx.x][threadIdx.y];
}

__global__ void diagonals_times_vector(const float* diagonals, const int* offsets, const float* x, float* y,
                                       int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int d = 0; d < count; ++d) {
    int c = i + offsets[d] - 3;
    if (c >= 0 && c < n) sum += diagonals[d * n + i] * x[c];
  }
  y[i] = sum;
}

__global__ void conv_channels(const float* in, const float* w, float* out, int cin, int h, int width) {
  extern __shared__ float kernel3[];
  int co = blockIdx.z;
  for (int e = threadIdx.y * blockDim.x + threadIdx.x; e < cin * 9; e += blockDim.x * blockDim.y)
    kernel3[e] = w[co * cin * 9 + e];
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= h) return;
  float sum = 0;
  for (int c = 0; c < cin; ++c)
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx) {
        int xx = x + dx - 1, yy = y + dy - 1;
        if (xx >= 0 && xx < width && yy >= 0 && yy < h)
          sum += kernel3[(c * 3 + dy) * 3 + dx] * in[(c * h + yy) * width + xx];
      }
  out[(co * h + y) * width + x] = fmaxf(sum, 0.f);
}

__global__ void conv_transposed(const float* in, const float* w, float* out, int h, int width, int stride) {
  int oh = (h - 1) * stride + 3, ow = (width - 1) * stride + 3;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float sum = 0;
  for (int ky = 0; ky < 3; ++ky) {
    int iy = y - ky;
    if (iy < 0 || iy % stride != 0 || iy / stride >= h) continue;
    for (int kx = 0; kx < 3; ++kx) {
      int ix = x - kx;
      if (ix < 0 || ix % stride != 0 || ix / stride >= width) continue;
      sum += in[iy / stride * width + ix / stride] * w[ky * 3 + kx];
    }
  }
  out[y * ow + x] = sum;
}

__global__ void col2im(const float* columns, float* image, int h, int width, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int oh = h - k + 1, ow = width - k + 1;
  if (x >= width || y >= h) return;
  float sum = 0;
  for (int ky = 0; ky < k; ++ky)
    for (int kx = 0; kx < k; ++kx) {
      int oy = y - ky, ox = x - kx;
      if (oy >= 0 && oy < oh && ox >= 0 && ox < ow) sum += columns[((ky * k + kx) * oh + oy) * ow + ox];
    }
  image[y * width + x] = sum;
}

__global__ void dilated_conv_1d(const float* in, const float* w, float* out, int n, int taps, int dilation) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < taps; k++) {
    int j = i - k * dilation;
    if (j < 0) break;
    s = fmaf(in[j], w[k], s);
  }
  out[i] = s;
}
