// Packed and narrow types, cache hints, quantised arithmetic, structures against arrays.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>

__global__ void add_float4_tail(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int quads = n / 4;
  for (int q = i; q < quads; q += blockDim.x * gridDim.x) {
    const float4 x = reinterpret_cast<const float4*>(a)[q];
    const float4 y = reinterpret_cast<const float4*>(b)[q];
    reinterpret_cast<float4*>(c)[q] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
  if (i < n % 4) c[quads * 4 + i] = a[quads * 4 + i] + b[quads * 4 + i];
}

__global__ void half8_scale(const __half* in, __half* out, float s, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (i + 7 < n) {
    uint4 raw = *reinterpret_cast<const uint4*>(in + i);
    __half2* h = reinterpret_cast<__half2*>(&raw);
    const __half2 factor = __float2half2_rn(s);
#pragma unroll
    for (int k = 0; k < 4; ++k) h[k] = __hmul2(h[k], factor);
    *reinterpret_cast<uint4*>(out + i) = raw;
  } else {
    for (int k = i; k < n; ++k) out[k] = __float2half(__half2float(in[k]) * s);
  }
}

__global__ void bf16_rms_rows(const __nv_bfloat16* in, const __nv_bfloat16* gain, __nv_bfloat16* out, int cols) {
  __shared__ float sums[4];
  const __nv_bfloat162* row = reinterpret_cast<const __nv_bfloat162*>(in + blockIdx.x * cols);
  float sum = 0;
  for (int c = threadIdx.x; c < cols / 2; c += blockDim.x) {
    const float2 v = __bfloat1622float2(row[c]);
    sum += v.x * v.x + v.y * v.y;
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = sums[0] + sums[1] + sums[2] + sums[3];
  const float scale = rsqrtf(sum / cols + 1e-5f);
  for (int c = threadIdx.x; c < cols / 2; c += blockDim.x) {
    float2 v = __bfloat1622float2(row[c]);
    const float2 g = __bfloat1622float2(reinterpret_cast<const __nv_bfloat162*>(gain)[c]);
    v.x *= scale * g.x;
    v.y *= scale * g.y;
    reinterpret_cast<__nv_bfloat162*>(out + blockIdx.x * cols)[c] = __float22bfloat162_rn(v);
  }
}

__global__ void dp4a_rows(const int8_t* w, const int8_t* x, int* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int* w4 = reinterpret_cast<const int*>(w + row * cols);
  const int* x4 = reinterpret_cast<const int*>(x);
  int sum = 0;
  for (int c = threadIdx.x; c < cols / 4; c += 32) sum = __dp4a(__ldg(w4 + c), __ldg(x4 + c), sum);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}

__global__ void quantise_groups(const float* in, int8_t* q, float* scales, int groups) {
  const int g = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (g >= groups) return;
  const float v = in[g * 32 + lane];
  float top = fabsf(v);
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
  const float scale = top / 127.0f;
  q[g * 32 + lane] = top == 0.0f ? 0 : (int8_t)roundf(v / scale);
  if (lane == 0) scales[g] = scale;
}

__global__ void unpack_nibbles(const uint8_t* packed, const float* scales, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i >= n) return;
  const uint8_t b = packed[i];
  const float s = scales[i / 16];
  float2 pair;
  pair.x = ((b & 0xF) - 8) * s;
  pair.y = ((b >> 4) - 8) * s;
  reinterpret_cast<float2*>(out)[i] = pair;
}

struct __align__(16) Body {
  float x, y, z, m;
};
struct Bodies {
  float *x, *y, *z, *m;
};
__global__ void kinetic_aos(const Body* __restrict__ p, const Body* __restrict__ v, float* e, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    const Body a = p[i], b = v[i];
    e[i] = 0.5f * a.m * (b.x * b.x + b.y * b.y + b.z * b.z);
  }
}
__global__ void centre_soa(const float* x, const float* y, const float* z, const float* m, double* out, int n) {
  double sx = 0, sy = 0, sz = 0, sm = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sx += m[i] * x[i];
    sy += m[i] * y[i];
    sz += m[i] * z[i];
    sm += m[i];
  }
  __shared__ double s[4][64];
  s[0][threadIdx.x] = sx;
  s[1][threadIdx.x] = sy;
  s[2][threadIdx.x] = sz;
  s[3][threadIdx.x] = sm;
  __syncthreads();
  if (threadIdx.x < 4) {
    double total = 0;
    for (int t = 0; t < 64; ++t) total += s[threadIdx.x][t];
    out[threadIdx.x] = total;
  }
}

struct Rgb {
  unsigned char r, g, b;
};
__global__ void grey_world(Rgb* image, int n, float kr, float kg, float kb) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  Rgb p = image[i];
  p.r = (unsigned char)min(255.f, p.r * kr);
  p.g = (unsigned char)min(255.f, p.g * kg);
  p.b = (unsigned char)min(255.f, p.b * kb);
  image[i] = p;
}

__global__ void streaming_hints(const float2* a, const float* b, float2* c, float* d, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    const float2 x = __ldcs(a + i);
    const float y = __ldcg(b + i), z = __ldlu(b + (i ^ 1));
    __stcs(c + i, make_float2(x.x * y, x.y * z));
    __stwt(d + i, y - z);
  }
}

// A volatile flag word and a const __restrict__ table side by side.
__global__ void volatile_and_restrict(volatile int* flags, const int* __restrict__ table, int* out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  const int first = flags[i];
  const int again = flags[i];
  const int a = table[first & 63], b = table[first & 63];
  flags[i] = a;
  out[i] = again + b + flags[i];
}

__global__ void abgr_to_planes(const uchar4* in, unsigned char* planes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const uchar4 p = in[i];
    planes[i] = p.x;
    planes[n + i] = p.y;
    planes[2 * n + i] = p.z;
    planes[3 * n + i] = p.w;
  }
}

__global__ void byte_perm_endian(const uint2* in, uint2* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const uint2 v = in[i];
    out[i] = make_uint2(__byte_perm(v.y, 0, 0x0123), __byte_perm(v.x, 0, 0x0123));
  }
}

__global__ void simd_saturating(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __vaddus4(a[i], b[i]) ^ __vabsdiffu4(a[i], b[i]) ^ __vmaxu2(a[i], b[i]);
}

struct Big {
  double d[5];
  int tag;
};
__global__ void copy_big(const Big* in, Big* out, const int* order, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[order[i]];
}
__global__ void update_fields(Big* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && all[i].tag % 3 != 0) {
    all[i].d[2] += 1.0;
    all[i].d[3] = all[i].d[0] * all[i].d[1];
    all[i].tag++;
  }
}
