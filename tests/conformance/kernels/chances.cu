// Random numbers, Monte Carlo, bit tricks, long integers, text.
#include <cstdint>

__device__ inline uint32_t xorshift32(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}
__global__ void pi_xorshift(unsigned* hits, int tries) {
  uint32_t state = 2463534242u + 69069u * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned inside = 0;
  for (int t = 0; t < tries; ++t) {
    const float x = xorshift32(state) * 2.3283064e-10f, y = xorshift32(state) * 2.3283064e-10f;
    if (x * x + y * y <= 1.0f) ++inside;
  }
  atomicAdd(hits, inside);
}

struct Philox {
  uint2 key;
  uint4 counter;
  __device__ uint4 next() {
    uint4 c = counter;
    uint2 k = key;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const uint32_t h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
      const uint32_t h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
      c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
      k.x += 0x9E3779B9u;
      k.y += 0xBB67AE85u;
    }
    ++counter.x;
    return c;
  }
};
__global__ void philox_fill(float4* out, uint64_t seed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Philox p{make_uint2((uint32_t)seed, (uint32_t)(seed >> 32)), make_uint4(0, 0, i, 0)};
  for (int k = i; k < n; k += gridDim.x * blockDim.x) {
    const uint4 r = p.next();
    out[k] = make_float4(r.x * 0x1p-32f, r.y * 0x1p-32f, r.z * 0x1p-32f, r.w * 0x1p-32f);
  }
}
__global__ void box_muller(const uint2* bits, float2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float u = (bits[i].x + 1.0f) * 2.3283064e-10f, v = bits[i].y * 2.3283064e-10f;
    const float r = sqrtf(-2.0f * __logf(u));
    out[i] = make_float2(r * __cosf(6.2831853f * v), r * __sinf(6.2831853f * v));
  }
}
__global__ void random_walk_until(const int* start, int* steps, int n, int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t s = i * 747796405u + 2891336453u;
  int at = start[i], k = 0;
  while (at > 0 && at < 20 && k < limit) {
    s = s * 747796405u + 2891336453u;
    const uint32_t w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    at += (w >> 31) ? 1 : -1;
    ++k;
  }
  steps[i] = k;
}
__global__ void metropolis_row(int* spins, const unsigned* random, int w, int h, float beta, int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h || ((x + y) & 1) != colour) return;
  const int s = spins[y * w + x] & 1 ? 1 : -1;
  int sum = 0;
  sum += spins[y * w + (x + 1) % w] & 1 ? 1 : -1;
  sum += spins[y * w + (x + w - 1) % w] & 1 ? 1 : -1;
  sum += spins[((y + 1) % h) * w + x] & 1 ? 1 : -1;
  sum += spins[((y + h - 1) % h) * w + x] & 1 ? 1 : -1;
  const float change = 2.0f * s * sum;
  if (change <= 0 || random[y * w + x] * 2.3283064e-10f < expf(-beta * change)) spins[y * w + x] = s > 0 ? 0 : 1;
}

// Bits.
__global__ void morton_codes(const ushort2* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i].x, y = in[i].y;
  x = (x | x << 8) & 0x00FF00FF;
  x = (x | x << 4) & 0x0F0F0F0F;
  x = (x | x << 2) & 0x33333333;
  x = (x | x << 1) & 0x55555555;
  y = (y | y << 8) & 0x00FF00FF;
  y = (y | y << 4) & 0x0F0F0F0F;
  y = (y | y << 2) & 0x33333333;
  y = (y | y << 1) & 0x55555555;
  out[i] = x | y << 1;
}
__global__ void next_permutation_bits(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned v = in[i] | 1;
    for (int k = 0; k < 5; ++k) {
      const unsigned t = v | (v - 1);
      v = (t + 1) | (((~t & -~t) - 1) >> (__ffs(v) & 31));
      if (v == 0) v = 7;
    }
    out[i] = v ^ __brev(v) ^ __popc(v) << 8 ^ __clz(v) << 16;
  }
}
__global__ void bitmap_ranks(const unsigned* words, int* ranks, const int* queries, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int q = queries[i] % (n * 32);
  int rank = 0;
  for (int w = 0; w < q / 32; ++w) rank += __popc(words[w]);
  ranks[i] = rank + __popc(words[q / 32] & ((1u << (q & 31)) - 1));
}
__global__ void gray_decode(const uint64_t* in, uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uint64_t g = in[i];
    for (int s = 1; s < 64; s <<= 1) g ^= g >> s;
    out[i] = g;
  }
}

// Long integers: one number a thread, words a row apart.
template <int WORDS>
__global__ void big_add(const uint32_t* a, const uint32_t* b, uint32_t* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t carry = 0;
#pragma unroll
  for (int w = 0; w < WORDS; ++w) {
    carry += (uint64_t)a[w * n + i] + b[w * n + i];
    c[w * n + i] = (uint32_t)carry;
    carry >>= 32;
  }
}
template __global__ void big_add<8>(const uint32_t*, const uint32_t*, uint32_t*, int);
template <int WORDS>
__global__ void big_multiply(const uint32_t* a, const uint32_t* b, uint32_t* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t product[2 * WORDS] = {};
  for (int x = 0; x < WORDS; ++x) {
    uint64_t carry = 0;
    for (int y = 0; y < WORDS; ++y) {
      const uint64_t t = (uint64_t)a[i * WORDS + x] * b[i * WORDS + y] + product[x + y] + carry;
      product[x + y] = (uint32_t)t;
      carry = t >> 32;
    }
    product[x + WORDS] = (uint32_t)carry;
  }
  for (int w = 0; w < 2 * WORDS; ++w) c[i * 2 * WORDS + w] = product[w];
}
template __global__ void big_multiply<4>(const uint32_t*, const uint32_t*, uint32_t*, int);
__global__ void mod_pow(const uint32_t* base, const uint32_t* exponent, uint32_t* out, uint32_t modulus, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t result = 1, b = base[i] % modulus;
  for (uint32_t e = exponent[i] & 0xFFFF; e; e >>= 1) {
    if (e & 1) result = result * b % modulus;
    b = b * b % modulus;
  }
  out[i] = (uint32_t)result;
}
__global__ void binary_gcd(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned u = a[i] | 1, v = b[i] | 1;
  while (u != v) {
    if (u > v) {
      u -= v;
      u >>= __ffs(u) - 1;
    } else {
      v -= u;
      v >>= __ffs(v) - 1;
    }
  }
  out[i] = u;
}

// Text.
__global__ void parse_numbers(const char* text, const int* starts, int* values, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = starts[i], value = 0, sign = 1;
  if (text[at] & 1) {
    sign = -1;
    ++at;
  }
  while (at < length) {
    const char c = text[at] & 15;
    if (c > 9) break;
    value = value * 10 + c;
    ++at;
  }
  values[i] = sign * value;
}
__global__ void fnv_words(const char* words, int stride, const int* lengths, unsigned* hashes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned h = 2166136261u;
    const char* w = words + i * stride;
    for (int k = 0; k < lengths[i]; ++k) h = (h ^ (unsigned char)w[k]) * 16777619u;
    hashes[i] = h;
  }
}
__global__ void naive_search(const char* text, int n, const char* pattern, int m, int* found) {
  extern __shared__ char needle[];
  if (threadIdx.x < m) needle[threadIdx.x] = pattern[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + m > n) return;
  int k = 0;
  while (k < m && (text[i + k] & 3) == (needle[k] & 3)) k++;
  found[i] = k == m ? 1 : 0;
}
__global__ void to_hex(const unsigned char* in, char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const char* digits = "0123456789abcdef";
    out[2 * i] = digits[in[i] >> 4];
    out[2 * i + 1] = digits[in[i] & 15];
  }
}
__global__ void number_to_text(const int* in, char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char digits[12];
  int count = 0;
  unsigned v = in[i] < 0 ? -in[i] : in[i];
  do {
    digits[count++] = '0' + v % 10;
    v /= 10;
  } while (v);
  if (in[i] < 0) digits[count++] = '-';
  for (int k = 0; k < 12; ++k) out[i * 12 + k] = k < count ? digits[count - 1 - k] : ' ';
}
