// Linear algebra, transforms, dynamic programming, random numbers, particles, finance.

__global__ void lu_in_shared(float* matrices, int n) {
  extern __shared__ float a[];
  float* m = matrices + blockIdx.x * n * n;
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) a[e] = m[e] + (e / n == e % n ? n : 0);
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + k] /= a[k * n + k];
    __syncthreads();
    int side = n - k - 1;
    for (int e = threadIdx.x; e < side * side; e += blockDim.x) {
      int i = k + 1 + e / side, j = k + 1 + e % side;
      a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
    __syncthreads();
  }
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) m[e] = a[e];
}
__global__ void cholesky_small(double* matrices, int count) {
  int which = blockIdx.x * blockDim.x + threadIdx.x;
  if (which >= count) return;
  double* a = matrices + which * 9;
  double l[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      double s = a[i * 3 + j] + (i == j ? 4.0 : 0.0);
      for (int k = 0; k < j; ++k) s -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(s) : s / l[j][j];
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a[i * 3 + j] = j <= i ? l[i][j] : 0.0;
}
__global__ void gauss_elimination_step(float* a, float* b, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1, i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
  if (i >= n || j > n) return;
  float factor = a[i * n + k] / (a[k * n + k] + 2.f);
  if (j < n)
    a[i * n + j] -= factor * a[k * n + j];
  else
    b[i] -= factor * b[k];
}
__global__ void conjugate_dot(const float* r, const float* z, float* out, int n) {
  __shared__ float s[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += r[i] * z[i];
  s[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int k = 128; k > 32; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    float v = s[threadIdx.x] + s[threadIdx.x + 32];
    for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x == 0) *out = v;
  }
}
__global__ void householder_apply(float* A, const float* v, int rows, int cols, float tau) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float dot = 0;
  for (int r = 0; r < rows; ++r) dot += v[r] * A[r * cols + c];
  dot *= tau;
  for (int r = 0; r < rows; ++r) A[r * cols + c] -= dot * v[r];
}
__global__ void power_iteration(const float* A, const float* x, float* y, float* norm, int n) {
  __shared__ float xs[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int base = 0; base < n; base += 64) {
    if (base + threadIdx.x < n) xs[threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    int limit = min(64, n - base);
    if (i < n)
      for (int k = 0; k < limit; ++k) sum += A[i * n + base + k] * xs[k];
    __syncthreads();
  }
  if (i < n) {
    y[i] = sum;
    atomicAdd(norm, sum * sum);
  }
}
__global__ void fft_radix2_stage(const float2* in, float2* out, int n, int ns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n / 2) return;
  float angle = -2.f * 3.14159265f * (j % ns) / (ns * 2);
  float2 a = in[j], b = in[j + n / 2];
  float c = cosf(angle), s = sinf(angle);
  float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  int d = (j / ns) * ns * 2 + j % ns;
  out[d] = make_float2(a.x + t.x, a.y + t.y);
  out[d + ns] = make_float2(a.x - t.x, a.y - t.y);
}
__global__ void dft_naive(const float* in, float2* out, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  float re = 0, im = 0;
  for (int t = 0; t < n; ++t) {
    float s, c;
    __sincosf(-6.2831853f * k * t / n, &s, &c);
    re += in[t] * c;
    im += in[t] * s;
  }
  out[k] = make_float2(re, im);
}
__global__ void lcs_diagonal(const char* a, const char* b, int* table, int n, int m, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
  if (i > n || j < 1 || j > m) return;
  int w = m + 1;
  if (a[i - 1] == b[j - 1])
    table[i * w + j] = table[(i - 1) * w + j - 1] + 1;
  else
    table[i * w + j] = max(table[(i - 1) * w + j], table[i * w + j - 1]);
}
__global__ void knapsack_row(const int* before, int* after, int weight, int value, int capacity) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > capacity) return;
  int best = before[c];
  if (c >= weight) best = max(best, before[c - weight] + value);
  after[c] = best;
}
__global__ void floyd_phase(int* dist, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n && i != k && j != k) {
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j]) dist[i * n + j] = through;
  }
}
__global__ void smith_waterman_block(const unsigned char* query, const unsigned char* targets, int* best, int m, int n) {
  extern __shared__ int lines[];
  int* h0 = lines;
  int* h1 = lines + blockDim.x + 1;
  int* h2 = lines + 2 * (blockDim.x + 1);
  int t = threadIdx.x, top = 0;
  h0[t + 1] = h1[t + 1] = h2[t + 1] = 0;
  if (t == 0) h0[0] = h1[0] = h2[0] = 0;
  __syncthreads();
  unsigned char q = t < m ? query[t] & 3 : 0;
  const unsigned char* target = targets + blockIdx.x * n;
  for (int d = 0; d < m + n - 1; ++d) {
    int j = d - t;
    if (t < m && j >= 0 && j < n) {
      int match = h0[t] + (q == (target[j] & 3) ? 2 : -1);
      int v = max(max(match, 0), max(h1[t] - 1, h1[t + 1] - 1));
      h2[t + 1] = v;
      top = max(top, v);
    }
    __syncthreads();
    int* hold = h0;
    h0 = h1;
    h1 = h2;
    h2 = hold;
  }
  atomicMax(&best[blockIdx.x], top);
}
__device__ unsigned xorshift(unsigned& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
__global__ void pi_by_darts(unsigned* states, unsigned long long* hits, int trials) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = states[i] | 1, inside = 0;
  for (int k = 0; k < trials; ++k) {
    float x = xorshift(s) * 2.3283064e-10f, y = xorshift(s) * 2.3283064e-10f;
    if (x * x + y * y <= 1.f) ++inside;
  }
  states[i] = s;
  atomicAdd(hits, (unsigned long long)inside);
}
__global__ void random_walks(const unsigned* seeds, int* end, int steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = seeds[i] | 1;
  int x = 0, y = 0;
  for (int k = 0; k < steps; ++k) {
    switch (xorshift(s) & 3) {
      case 0: ++x; break;
      case 1: --x; break;
      case 2: ++y; break;
      default: --y; break;
    }
    if (abs(x) + abs(y) > 20) break;
  }
  end[i] = x * 1000 + y;
}
__device__ float cnd(float d) {
  float k = 1.f / (1.f + 0.2316419f * fabsf(d));
  float c = 0.39894228f * expf(-0.5f * d * d) *
            (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  if (d > 0) c = 1.f - c;
  return c;
}
__launch_bounds__(128) __global__ void option_prices(float* __restrict__ call, float* __restrict__ put, const float* __restrict__ price,
                                                     const float* __restrict__ strike, const float* __restrict__ years, float r,
                                                     float v, int n) {
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float S = 60.f + 20.f * price[i], X = 60.f + 30.f * strike[i], T = 1.5f + years[i];
    float root = sqrtf(T), d1 = (logf(S / X) + (r + 0.5f * v * v) * T) / (v * root), d2 = d1 - v * root;
    float c1 = cnd(d1), c2 = cnd(d2), e = expf(-r * T);
    call[i] = S * c1 - X * e * c2;
    put[i] = X * e * (1.f - c2) - S * (1.f - c1);
  }
}
__global__ void bodies_tiled(const float4* p, float4* a, int n) {
  extern __shared__ float4 sp[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
  float3 acc = {0, 0, 0};
  for (int tile = 0; tile * blockDim.x < n; ++tile) {
    int k = tile * blockDim.x + threadIdx.x;
    sp[threadIdx.x] = k < n ? p[k] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; ++j) {
      float3 r = {sp[j].x - me.x, sp[j].y - me.y, sp[j].z - me.z};
      float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
      float inv = rsqrtf(d * d * d);
      acc.x += r.x * sp[j].w * inv;
      acc.y += r.y * sp[j].w * inv;
      acc.z += r.z * sp[j].w * inv;
    }
    __syncthreads();
  }
  if (i < n) a[i] = make_float4(acc.x, acc.y, acc.z, 0.f);
}
__global__ void lennard_jones_cutoff(const float* x, const float* y, float* energy, int n, float cutoff2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float e = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i) continue;
    float dx = x[i] - x[j], dy = y[i] - y[j], r2 = dx * dx + dy * dy + 0.1f;
    if (r2 < cutoff2) {
      float s = 1.f / (r2 * r2 * r2);
      e += 4.f * s * (s - 1.f);
    }
  }
  energy[i] = 0.5f * e;
}
__global__ void newton_fractal(int* out, int w, int h) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= w || py >= h) return;
  float x = 3.f * px / w - 1.5f, y = 2.f * py / h - 1.f;
  int k = 0;
  for (; k < 30; ++k) {
    float x2 = x * x, y2 = y * y, d = 3.f * (x2 + y2) * (x2 + y2);
    if (d < 1e-9f) break;
    float nx = (2.f * x * d + x2 - y2) / d / 1.f - x, ny = (2.f * y * d - 2.f * x * y) / d - y;
    nx = x - (x - nx) / 3.f;
    ny = y - (y - ny) / 3.f;
    if (fabsf(nx - x) + fabsf(ny - y) < 1e-4f) break;
    x = nx;
    y = ny;
  }
  out[py * w + px] = k;
}
__global__ void trapezoid(double* out, int n, double a, double b) {
  __shared__ double s[128];
  double h = (b - a) / n, sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double x = a + i * h;
    sum += (x * x + (x + h) * (x + h)) * 0.5 * h;
  }
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 64; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (!threadIdx.x) out[blockIdx.x] = s[0];
}
