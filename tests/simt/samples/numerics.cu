// Numerical kernels: finance, transforms, linear algebra, stencils, simulation, random numbers.
#ifdef __CUDACC__
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ inline float cumulative_normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228040143267f * __expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - c : c;
}
__global__ void black_scholes(float* call, float* put, const float* price, const float* strike, const float* years,
                              float rate, float volatility, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float root = __fdividef(1.0f, rsqrtf(t));
  float d1 = __fdividef(__logf(s / x) + (rate + 0.5f * volatility * volatility) * t, volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2), discount = __expf(-rate * t);
  call[i] = s * n1 - x * discount * n2;
  put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}

__global__ void binomial_option(const float* price, float* out, int steps, float strike) {
  __shared__ float v[128];
  int t = threadIdx.x;
  float s = price[blockIdx.x], vs = 0.3f * sqrtf(1.0f / steps), up = expf(vs);
  float p = (expf(0.02f / steps) - 1.0f / up) / (up - 1.0f / up), df = expf(-0.02f / steps);
  v[t] = t <= steps ? fmaxf(s * expf(vs * (2.0f * t - steps)) - strike, 0.0f) : 0.0f;
  for (int k = steps; k > 0; --k) {
    __syncthreads();
    float x = t < k ? df * (p * v[t + 1] + (1 - p) * v[t]) : 0;
    __syncthreads();
    if (t < k) v[t] = x;
  }
  if (t == 0) out[blockIdx.x] = v[0];
}

__global__ void fft256(float2* data) {
  __shared__ float2 s[256];
  int t = threadIdx.x;
  int r = __brev(t) >> 24;
  s[r] = data[t];
  for (int half = 1; half < 256; half *= 2) {
    __syncthreads();
    float2 a, b;
    int pair = t & ~half, k = t & (half - 1);
    a = s[pair];
    b = s[pair | half];
    float angle = -3.14159265358979f * k / half, sn, cs;
    sincosf(angle, &sn, &cs);
    float2 w = make_float2(cs * b.x - sn * b.y, cs * b.y + sn * b.x);
    __syncthreads();
    s[t] = (t & half) ? make_float2(a.x - w.x, a.y - w.y) : make_float2(a.x + w.x, a.y + w.y);
  }
  __syncthreads();
  data[t] = s[t];
}

template <int kTile>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[kTile][kTile], sb[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kTile; ++p) sum += sa[threadIdx.y][p] * sb[p][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
template __global__ void matmul<16>(const float*, const float*, float*, int);

__global__ void matvec_float4(const float4* a, const float4* x, float* y, int n4) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = threadIdx.x; k < n4; k += 32) {
    float4 p = __ldg(&a[row * n4 + k]), q = x[k];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}

__global__ void nbody(const float4* bodies, float4* out, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[i];
  float3 f = {0, 0, 0};
  for (int base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) {
      float3 d = {tile[k].x - me.x, tile[k].y - me.y, tile[k].z - me.z};
      float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
      float s = tile[k].w * r * r * r;
      f.x += d.x * s;
      f.y += d.y * s;
      f.z += d.z * s;
    }
    __syncthreads();
  }
  out[i] = make_float4(f.x, f.y, f.z, me.w);
}

__global__ void jacobi_double(const double* in, double* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) {
    if (x < n && y < n) out[y * n + x] = in[y * n + x];
    return;
  }
  out[y * n + x] = 0.25 * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

__global__ void mersenne_twister(unsigned seed, unsigned* out, int count) {
  unsigned mt[20];  // a small twister of the same construction, in local memory
  mt[0] = seed + threadIdx.x;
  for (int i = 1; i < 20; ++i) mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
  for (int k = 0; k < count; ++k) {
    int i = k % 20;
    unsigned y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 20] & 0x7fffffffu);
    mt[i] = mt[(i + 7) % 20] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    y = mt[i];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    out[threadIdx.x * count + k] = y ^ y >> 18;
  }
}

__global__ void xorshift_pi(unsigned long long seed, int* inside, int tries) {
  unsigned long long x = seed * (threadIdx.x + 1) | 1;
  int hits = 0;
  for (int k = 0; k < tries; ++k) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    float a = (unsigned)(x >> 40) * (1.0f / 16777216.0f), b = (unsigned)(x & 0xffffff) * (1.0f / 16777216.0f);
    hits += a * a + b * b < 1.0f;
  }
  atomicAdd(inside, hits);
}

__global__ void mandelbrot(unsigned char* out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cr = px * (3.0f / width) - 2.0f, ci = py * (2.0f / height) - 1.0f, zr = 0, zi = 0;
  int k = 0;
  while (k < limit && __fadd_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)) < 4.0f) {
    float t = __fadd_rn(__fsub_rn(__fmul_rn(zr, zr), __fmul_rn(zi, zi)), cr);
    zi = __fadd_rn(__fmul_rn(__fmul_rn(2.0f, zr), zi), ci);
    zr = t;
    ++k;
  }
  out[py * width + px] = k;
}

__global__ void transcendentals(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  out[i * 10 + 0] = sinf(v * 100);
  out[i * 10 + 1] = cosf(v * 1e6f);
  out[i * 10 + 2] = expf(v * 10);
  out[i * 10 + 3] = logf(fabsf(v) + 1e-3f);
  out[i * 10 + 4] = powf(fabsf(v) + 0.5f, 2.7f);
  out[i * 10 + 5] = atan2f(v, 0.3f);
  out[i * 10 + 6] = tanhf(v * 3);
  out[i * 10 + 7] = erff(v);
  out[i * 10 + 8] = cbrtf(v);
  out[i * 10 + 9] = fmodf(v * 37, 0.77f);
}
__global__ void transcendentals_double(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  out[i * 8 + 0] = sin(v * 100);
  out[i * 8 + 1] = exp(v * 10);
  out[i * 8 + 2] = log(fabs(v) + 1e-3);
  out[i * 8 + 3] = pow(fabs(v) + 0.5, 2.7);
  out[i * 8 + 4] = atan(v);
  out[i * 8 + 5] = tgamma(fabs(v) + 1);
  out[i * 8 + 6] = sqrt(fabs(v)) / (1 + v * v);
  out[i * 8 + 7] = hypot(v, 0.25);
}

__global__ void half_axpy(const __half2* x, __half2* y, __half a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}
__global__ void half_softmax(const __half* in, __half* out, int n) {
  float m = -1e30f, sum = 0;
  const __half* row = in + threadIdx.x * n;
  for (int k = 0; k < n; ++k) m = fmaxf(m, __half2float(row[k]));
  for (int k = 0; k < n; ++k) sum += expf(__half2float(row[k]) - m);
  for (int k = 0; k < n; ++k) out[threadIdx.x * n + k] = __float2half(expf(__half2float(row[k]) - m) / sum);
}

__global__ void lu_pivotless(double* a, int n) {
  for (int k = 0; k < n; ++k) {
    int i = k + 1 + threadIdx.x;
    if (i < n) a[i * n + k] /= a[k * n + k];
    __syncthreads();
    if (i < n)
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= a[i * n + k] * a[k * n + j];
    __syncthreads();
  }
}

struct Complex {
  float re, im;
  __device__ Complex operator*(const Complex& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
};
__global__ void complex_power(const Complex* in, Complex* out, int power) {
  Complex z = in[threadIdx.x], p = {1, 0};
  for (int k = power; k; k >>= 1) {
    if (k & 1) p = p * z;
    z = z * z;
  }
  out[threadIdx.x] = p;
}

__global__ void int64_math(const long long* a, const long long* b, long long* out) {
  int i = threadIdx.x;
  long long x = a[i], y = b[i] | 1;
  out[i * 6 + 0] = x / y;
  out[i * 6 + 1] = x % y;
  out[i * 6 + 2] = __mul64hi(x, y);
  out[i * 6 + 3] = (long long)__umul64hi(x, y);
  out[i * 6 + 4] = __popcll(x) + __clzll(y) * 100 + __ffsll(x) * 10000;
  out[i * 6 + 5] = llabs(x) > llabs(y) ? x >> 5 : (long long)((unsigned long long)y >> 7);
}

__global__ void bit_tricks(const unsigned* in, unsigned* out) {
  unsigned x = in[threadIdx.x], y = in[threadIdx.x ^ 1];
  unsigned r = __byte_perm(x, y, 0x3715) ^ __brev(x) ^ __funnelshift_l(x, y, 7) ^ __funnelshift_rc(x, y, 40);
  r += __sad((int)x, (int)y, 5u) + __usad(x, y, 9u) + __umulhi(x, y) + (unsigned)__mul24((int)x, (int)y);
  r ^= (unsigned)__dp4a((int)x, (int)y, (int)r);
  r += __vadd4(x, y) ^ __vabsdiffu4(x, y) ^ __vmaxs2(x, y) ^ __vcmpgtu4(x, y);
  out[threadIdx.x] = r + __uhadd(x, y) + __rhadd((int)x, (int)y);
}
#else
static float host_cumulative_normal(float d) { return static_cast<float>(0.5 * std::erfc(-static_cast<double>(d) / std::sqrt(2.0))); }
SAMPLE(black_scholes, {.grid = {2}, .block = {128},
                       .arguments = {zeros<float>(200), zeros<float>(200), floats(200, 1, 10, 20), floats(200, 2, 15, 20),
                                     floats(200, 3, 2, 3), value(0.02f), value(0.3f), value(200)},
                       .tolerance = 1e-4}) {
  for (int i = 0; i < 200; ++i) {
    const float s = data.floats(2)[i], x = data.floats(3)[i], t = data.floats(4)[i], root = std::sqrt(t);
    const float d1 = (std::log(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    const float n1 = host_cumulative_normal(d1), n2 = host_cumulative_normal(d2), discount = std::exp(-0.02f * t);
    data.floats(0)[i] = s * n1 - x * discount * n2;
    data.floats(1)[i] = x * discount * (1 - n2) - s * (1 - n1);
  }
}
SAMPLE(binomial_option, {.grid = {5}, .block = {128}, .arguments = {floats(5, 4, 5, 25), zeros<float>(5), value(100), value(22.0f)}, .tolerance = 1e-3}) {
  for (int b = 0; b < 5; ++b) {
    const double s = static_cast<double>(data.floats(0)[b]), vs = 0.3 * std::sqrt(0.01), up = std::exp(vs);
    const double p = (std::exp(0.0002) - 1 / up) / (up - 1 / up), df = std::exp(-0.0002);
    double v[101];
    for (int t = 0; t <= 100; ++t) v[t] = std::max(s * std::exp(vs * (2.0 * t - 100)) - 22, 0.0);
    for (int k = 100; k > 0; --k)
      for (int t = 0; t < k; ++t) v[t] = df * (p * v[t + 1] + (1 - p) * v[t]);
    data.floats(1)[b] = static_cast<float>(v[0]);
  }
}
SAMPLE(fft256, {.block = {256}, .arguments = {floats(512, 5)}, .tolerance = 1e-4}) {
  std::vector<float> in(data.floats(0), data.floats(0) + 512);
  for (int k = 0; k < 256; ++k) {
    double re = 0, im = 0;
    for (int n = 0; n < 256; ++n) {
      const double angle = -2 * 3.14159265358979323846 * (k * n % 256) / 256, x = static_cast<double>(in[static_cast<std::size_t>(2 * n)]), y = static_cast<double>(in[static_cast<std::size_t>(2 * n + 1)]);
      re += x * std::cos(angle) - y * std::sin(angle);
      im += x * std::sin(angle) + y * std::cos(angle);
    }
    data.floats(0)[2 * k] = static_cast<float>(re);
    data.floats(0)[2 * k + 1] = static_cast<float>(im);
  }
}
SAMPLE_AS(matmul16, "matmul<16>", {.grid = {3, 3}, .block = {16, 16}, .arguments = {floats(48 * 48, 6), floats(48 * 48, 7), zeros<float>(48 * 48), value(48)}, .tolerance = 1e-4}) {
  for (int i = 0; i < 48; ++i)
    for (int j = 0; j < 48; ++j)
      for (int k = 0; k < 48; ++k) data.floats(2)[i * 48 + j] += data.floats(0)[i * 48 + k] * data.floats(1)[k * 48 + j];
}
SAMPLE(matvec_float4, {.grid = {4}, .block = {32, 4}, .arguments = {floats(16 * 200, 8), floats(200, 9), zeros<float>(16), value(50)}, .tolerance = 1e-4}) {
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 200; ++k) data.floats(2)[i] += data.floats(0)[i * 200 + k] * data.floats(1)[k];
}
SAMPLE(nbody, {.grid = {2}, .block = {64}, .shared = 1024, .arguments = {floats(512, 10), zeros<float>(512), value(128)}, .tolerance = 2e-3}) {
  const float* b = data.floats(0);
  for (int i = 0; i < 128; ++i) {
    double f[3] = {};
    for (int k = 0; k < 128; ++k) {
      double d[3], square = 0.01;
      for (int c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(b[4 * k + c] - b[4 * i + c]);
        square += d[c] * d[c];
      }
      for (int c = 0; c < 3; ++c) f[c] += d[c] * static_cast<double>(b[4 * k + 3]) / (square * std::sqrt(square));
    }
    for (int c = 0; c < 3; ++c) data.floats(1)[4 * i + c] = static_cast<float>(f[c]);
    data.floats(1)[4 * i + 3] = b[4 * i + 3];
  }
}
SAMPLE(jacobi_double, {.grid = {3, 3}, .block = {8, 8}, .arguments = {doubles(400, 11), zeros<double>(400), value(20)}, .tolerance = 1e-15}) {
  const double* in = data.doubles(0);
  for (int i = 0; i < 400; ++i) {
    const int x = i % 20, y = i / 20;
    const bool edge = x == 0 || y == 0 || x == 19 || y == 19;
    data.doubles(1)[i] = edge ? in[i] : 0.25 * (in[i - 1] + in[i + 1] + in[i - 20] + in[i + 20]);
  }
}
SAMPLE(mersenne_twister, {.block = {32}, .arguments = {value(1234u), zeros<unsigned>(32 * 50), value(50)}}) {
  for (unsigned t = 0; t < 32; ++t) {
    unsigned mt[20] = {1234u + t};
    for (unsigned i = 1; i < 20; ++i) mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    for (unsigned k = 0; k < 50; ++k) {
      const unsigned i = k % 20;
      unsigned y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 20] & 0x7fffffffu);
      mt[i] = mt[(i + 7) % 20] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
      y = mt[i];
      y ^= y >> 11;
      y ^= (y << 7) & 0x9d2c5680u;
      y ^= (y << 15) & 0xefc60000u;
      data.words(1)[t * 50 + k] = y ^ y >> 18;
    }
  }
}
SAMPLE(xorshift_pi, {.block = {64}, .arguments = {value(88172645463325252ull), zeros<int>(1), value(200)}}) {
  for (unsigned t = 0; t < 64; ++t) {
    unsigned long long x = 88172645463325252ull * (t + 1) | 1;
    for (int k = 0; k < 200; ++k) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      const float a = static_cast<float>(static_cast<unsigned>(x >> 40)) * (1.0f / 16777216.0f);
      const float b = static_cast<float>(static_cast<unsigned>(x & 0xffffff)) * (1.0f / 16777216.0f);
      data.ints(1)[0] += std::fma(a, a, b * b) < 1.0f;
    }
  }
}
SAMPLE(mandelbrot, {.grid = {3, 3}, .block = {16, 16}, .arguments = {zeros<unsigned char>(40 * 40), value(40), value(40), value(60)}}) {
  for (int i = 0; i < 1600; ++i) {
    const float cr = std::fma(static_cast<float>(i % 40), 3.0f / 40, -2.0f), ci = std::fma(static_cast<float>(i / 40), 2.0f / 40, -1.0f);
    float zr = 0, zi = 0;
    int k = 0;
    while (k < 60 && zr * zr + zi * zi < 4.0f) {
      const float t = zr * zr - zi * zi + cr;
      zi = 2.0f * zr * zi + ci;
      zr = t;
      ++k;
    }
    data.as<unsigned char>(0)[i] = static_cast<unsigned char>(k);
  }
}
SAMPLE(transcendentals, {.grid = {2}, .block = {64}, .arguments = {floats(100, 12), zeros<float>(1000), value(100)}, .tolerance = 2e-5}) {
  for (int i = 0; i < 100; ++i) {
    const float v = data.floats(0)[i];
    float* out = data.floats(1) + 10 * i;
    const auto d = [](float x) { return static_cast<double>(x); };
    const double results[] = {std::sin(d(v * 100)), std::cos(d(v * 1e6f)), std::exp(d(v * 10)), std::log(d(std::fabs(v) + 1e-3f)),
                              std::pow(d(std::fabs(v) + 0.5f), d(2.7f)), std::atan2(d(v), d(0.3f)), std::tanh(d(v * 3)), std::erf(d(v)),
                              std::cbrt(d(v)), std::fmod(d(v * 37), d(0.77f))};
    for (int k = 0; k < 10; ++k) out[k] = static_cast<float>(results[k]);
  }
}
SAMPLE(transcendentals_double, {.grid = {2}, .block = {64}, .arguments = {doubles(100, 13), zeros<double>(800), value(100)}, .tolerance = 1e-13}) {
  for (int i = 0; i < 100; ++i) {
    const double v = data.doubles(0)[i];
    const double results[] = {std::sin(v * 100), std::exp(v * 10), std::log(std::fabs(v) + 1e-3), std::pow(std::fabs(v) + 0.5, 2.7),
                              std::atan(v), std::tgamma(std::fabs(v) + 1), std::sqrt(std::fabs(v)) / (1 + v * v), std::hypot(v, 0.25)};
    std::copy(results, results + 8, data.doubles(1) + 8 * i);
  }
}
SAMPLE(half_axpy, {.grid = {2}, .block = {64}, .arguments = {halves(200, 14), halves(200, 15), value(std::uint16_t{0x3800}), value(100)}}) {
  for (int i = 0; i < 200; ++i)
    data.as<std::uint16_t>(1)[i] = to_half(0.5 * from_half(data.as<std::uint16_t>(0)[i]) + from_half(data.as<std::uint16_t>(1)[i]));
}
SAMPLE(half_softmax, {.block = {16}, .arguments = {halves(16 * 20, 16), buffer(std::vector<std::uint16_t>(16 * 20), Kind::Half), value(20)}, .tolerance = 1e-3}) {
  for (int t = 0; t < 16; ++t) {
    const std::uint16_t* row = data.as<std::uint16_t>(0) + t * 20;
    double sum = 0;
    for (int k = 0; k < 20; ++k) sum += std::exp(from_half(row[k]));
    for (int k = 0; k < 20; ++k) data.as<std::uint16_t>(1)[t * 20 + k] = to_half(std::exp(from_half(row[k])) / sum);
  }
}
static Argument dominant(int n) {
  std::vector<double> a(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n * n; ++i) a[static_cast<std::size_t>(i)] = i % (n + 1) == 0 ? 10.0 : 1.0 / (1 + i % 7);
  return buffer(a);
}
SAMPLE(lu_pivotless, {.block = {32}, .arguments = {dominant(24), value(24)}, .tolerance = 1e-12}) {
  double* a = data.doubles(0);
  for (int k = 0; k < 24; ++k)
    for (int i = k + 1; i < 24; ++i) {
      a[i * 24 + k] /= a[k * 24 + k];
      for (int j = k + 1; j < 24; ++j) a[i * 24 + j] -= a[i * 24 + k] * a[k * 24 + j];
    }
}
SAMPLE(complex_power, {.block = {64}, .arguments = {floats(128, 17), zeros<float>(128), value(5)}, .tolerance = 1e-5}) {
  for (int i = 0; i < 64; ++i) {
    double re = 1, im = 0;
    const double a = static_cast<double>(data.floats(0)[2 * i]), b = static_cast<double>(data.floats(0)[2 * i + 1]);
    for (int k = 0; k < 5; ++k) {
      const double t = re * a - im * b;
      im = re * b + im * a;
      re = t;
    }
    data.floats(1)[2 * i] = static_cast<float>(re);
    data.floats(1)[2 * i + 1] = static_cast<float>(im);
  }
}
SAMPLE(int64_math, {.block = {64}, .arguments = {integers<long long>(64, 18, ~0ull), integers<long long>(64, 19, ~0ull), zeros<long long>(384)}}) {
  for (int i = 0; i < 64; ++i) {
    const long long x = data.as<long long>(0)[i], y = data.as<long long>(1)[i] | 1;
    const auto ux = static_cast<unsigned long long>(x), uy = static_cast<unsigned long long>(y);
    __extension__ using Wide = __int128;
    __extension__ using UnsignedWide = unsigned __int128;
    const auto clear = [](long long v) { return v < 0 ? -v : v; };
    long long* out = data.as<long long>(2) + 6 * i;
    out[0] = x / y;
    out[1] = x % y;
    out[2] = static_cast<long long>(Wide{x} * y >> 64);
    out[3] = static_cast<long long>(UnsignedWide{ux} * uy >> 64);
    out[4] = __builtin_popcountll(ux) + __builtin_clzll(uy) * 100 + __builtin_ffsll(x) * 10000;
    out[5] = clear(x) > clear(y) ? x >> 5 : static_cast<long long>(uy >> 7);
  }
}
static unsigned byte_wise(unsigned a, unsigned b, unsigned (*f)(unsigned, unsigned)) {
  unsigned r = 0;
  for (int i = 0; i < 32; i += 8) r |= (f(a >> i & 255, b >> i & 255) & 255) << i;
  return r;
}
SAMPLE(bit_tricks, {.block = {32}, .arguments = {integers<unsigned>(32, 20, 1ull << 32), zeros<unsigned>(32)}}) {
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned x = data.words(0)[t], y = data.words(0)[t ^ 1];
    const auto byte = [&](unsigned n) { return (n < 4 ? x >> 8 * n : y >> 8 * (n - 4)) & 255; };
    unsigned reversed = 0;
    for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
    unsigned r = (byte(5) | byte(1) << 8 | byte(7) << 16 | byte(3) << 24) ^ reversed ^ (y << 7 | x >> 25) ^ y;
    const auto sx = static_cast<int>(x), sy = static_cast<int>(y);
    const auto wide = [](int v) { return static_cast<long long>(v); };
    r += static_cast<unsigned>(sx > sy ? wide(sx) - sy : wide(sy) - sx) + 5 + (x > y ? x - y : y - x) + 9;
    r += static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
    r += static_cast<unsigned>(wide(static_cast<int>(x << 8) >> 8) * (static_cast<int>(y << 8) >> 8));
    int dot = 0;
    for (int i = 0; i < 32; i += 8) dot += static_cast<signed char>(x >> i) * static_cast<signed char>(y >> i);
    r ^= r + static_cast<unsigned>(dot);
    unsigned greatest = 0;
    for (int i = 0; i < 32; i += 16)
      greatest |= static_cast<unsigned>(static_cast<std::uint16_t>(std::max(static_cast<short>(x >> i), static_cast<short>(y >> i)))) << i;
    r += byte_wise(x, y, [](unsigned a, unsigned b) { return a + b; }) ^
         byte_wise(x, y, [](unsigned a, unsigned b) { return a > b ? a - b : b - a; }) ^ greatest ^
         byte_wise(x, y, [](unsigned a, unsigned b) { return a > b ? 255u : 0u; });
    data.words(1)[t] = r + static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1) + static_cast<unsigned>((wide(sx) + sy + 1) >> 1);
  }
}
#endif
