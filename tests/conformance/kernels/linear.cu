// Linear algebra beyond the product.

__global__ void gemv_rows(const float* A, const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) sum += A[r * cols + c] * x[c];
  y[r] = sum;
}

__global__ void gemv_blocks(const float* A, const float* x, float* y, int cols) {
  __shared__ float s[4];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += A[blockIdx.x * cols + c] * x[c];
#pragma unroll
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}

__global__ void outer_product(const float* a, const float* b, float* C, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  C[y * n + x] = a[y] * b[x];
}

__global__ void jacobi(const float* A, const float* b, const float* x, float* next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = b[i];
  for (int j = 0; j < n; ++j)
    if (j != i) s -= A[i * n + j] * x[j];
  next[i] = s / (A[i * n + i] + 40.0f);
}

__global__ void invert_3x3(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m[9];
  for (int k = 0; k < 9; ++k) m[k] = in[i * 9 + k] + (k % 4 == 0 ? 3.0f : 0.0f);
  float c0 = m[4] * m[8] - m[5] * m[7], c1 = m[5] * m[6] - m[3] * m[8], c2 = m[3] * m[7] - m[4] * m[6];
  float det = m[0] * c0 + m[1] * c1 + m[2] * c2;
  out[i * 9 + 0] = c0 / det;
  out[i * 9 + 1] = (m[2] * m[7] - m[1] * m[8]) / det;
  out[i * 9 + 2] = (m[1] * m[5] - m[2] * m[4]) / det;
  out[i * 9 + 3] = c1 / det;
  out[i * 9 + 4] = (m[0] * m[8] - m[2] * m[6]) / det;
  out[i * 9 + 5] = (m[2] * m[3] - m[0] * m[5]) / det;
  out[i * 9 + 6] = c2 / det;
  out[i * 9 + 7] = (m[1] * m[6] - m[0] * m[7]) / det;
  out[i * 9 + 8] = (m[0] * m[4] - m[1] * m[3]) / det;
}

__global__ void cholesky_32(const float* in, float* out) {
  __shared__ float a[32][33];
  int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) a[r][t] = (r == t ? 40.0f : 0.0f) + in[max(r, t) * 32 + min(r, t)];
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    if (t == k) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    if (t > k) a[t][k] /= a[k][k];
    __syncthreads();
    if (t > k)
      for (int j = k + 1; j <= t; ++j) a[t][j] -= a[t][k] * a[j][k];
    __syncthreads();
  }
  for (int r = 0; r < 32; ++r) out[r * 32 + t] = t <= r ? a[r][t] : 0.0f;
}

// Parallel cyclic reduction of a tridiagonal system.
__global__ void tridiagonal(const float* rhs, float* x) {
  __shared__ float a[128], b[128], c[128], d[128];
  int t = threadIdx.x;
  a[t] = t > 0 ? -1.0f : 0.0f;
  b[t] = 4.0f;
  c[t] = t < 127 ? -1.0f : 0.0f;
  d[t] = rhs[blockIdx.x * 128 + t];
  __syncthreads();
  for (int k = 1; k < 128; k *= 2) {
    int lo = max(t - k, 0), hi = min(t + k, 127);
    float f = t - k >= 0 ? a[t] / b[lo] : 0.0f;
    float g = t + k < 128 ? c[t] / b[hi] : 0.0f;
    float na = -a[lo] * f, nb = b[t] - c[lo] * f - a[hi] * g, nc = -c[hi] * g;
    float nd = d[t] - d[lo] * f - d[hi] * g;
    __syncthreads();
    a[t] = na;
    b[t] = nb;
    c[t] = nc;
    d[t] = nd;
    __syncthreads();
  }
  x[blockIdx.x * 128 + t] = d[t] / b[t];
}

__global__ void complex_multiply(const double2* a, const double2* b, double2* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 x = a[i], y = b[i];
  c[i] = make_double2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

__global__ void normalise(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  float l = rsqrtf(x * x + y * y + z * z + 1e-6f);
  out[3 * i] = x * l;
  out[3 * i + 1] = y * l;
  out[3 * i + 2] = z * l;
}
