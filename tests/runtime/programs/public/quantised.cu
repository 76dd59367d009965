// Small numbers: half2, dp4a, bit tricks, ballots, shuffles of every kind, warp matches, tensor cores through wmma.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstring>

#include <cmath>
#include <vector>

#include "../check.h"

__global__ void dots(const int* a, const int* b, int* out, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum = __dp4a(a[i], b[i], sum);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) *out = sum;
}

__global__ void halves(const __half2* x, const __half2* y, __half2* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hfma2(x[i], __float2half2_rn(2.0f), y[i]);
}

__global__ void bits(const unsigned* in, unsigned* out) {
  const unsigned x = in[threadIdx.x];
  const unsigned peers = __match_any_sync(0xffffffffu, x & 3);
  const unsigned odd = __ballot_sync(0xffffffffu, x & 1);
  const unsigned above = __shfl_down_sync(0xffffffffu, x, 1), wide = __shfl_sync(0xffffffffu, x, 5, 8);
  out[threadIdx.x] = __popc(peers) ^ (__brev(odd) >> 7) ^ __byte_perm(x, above, 0x5410) ^ (__clz(x | 1) << 3) ^
                     __funnelshift_l(x, wide, 9) ^ __ffs(x) ^ __vadd4(x, above);
}

__global__ void product(const __half* a, const __half* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

unsigned reverse(unsigned x) {
  unsigned out = 0;
  for (int i = 0; i < 32; ++i) out |= (x >> i & 1) << (31 - i);
  return out;
}

int main() {
  const int n = 256;
  int *a, *b, *out;
  CHECK(cudaMallocManaged(&a, n * sizeof(int)));
  CHECK(cudaMallocManaged(&b, n * sizeof(int)));
  CHECK(cudaMallocManaged(&out, sizeof(int)));
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    signed char pa[4], pb[4];
    for (int j = 0; j < 4; ++j) pa[j] = (i * 5 + j) % 50 - 25, pb[j] = (i * 3 + 7 * j) % 40 - 20, expected += pa[j] * pb[j];
    std::memcpy(&a[i], pa, 4), std::memcpy(&b[i], pb, 4);
  }
  dots<<<1, 32>>>(a, b, out, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*out == expected);

  __half2 *x, *y, *z;
  for (__half2** p : {&x, &y, &z}) CHECK(cudaMallocManaged(p, n * sizeof(__half2)));
  for (int i = 0; i < n; ++i) x[i] = __floats2half2_rn(i, 0.5f * i), y[i] = __floats2half2_rn(1, -1);
  halves<<<2, 128>>>(x, y, z, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(__low2float(z[i]) == 2 * i + 1 && __high2float(z[i]) == i - 1);

  unsigned *in, *words;
  CHECK(cudaMallocManaged(&in, 32 * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&words, 32 * sizeof(unsigned)));
  for (unsigned i = 0; i < 32; ++i) in[i] = i * 2654435761u;
  bits<<<1, 32>>>(in, words);
  CHECK(cudaDeviceSynchronize());
  unsigned odd = 0;
  for (int i = 0; i < 32; ++i) odd |= (in[i] & 1) << i;
  for (int i = 0; i < 32; ++i) {
    const unsigned v = in[i], above = in[i == 31 ? 31 : i + 1], wide = in[i / 8 * 8 + 5];
    unsigned peers = 0, sums = 0;
    for (int j = 0; j < 32; ++j) peers += (in[j] & 3) == (v & 3);
    for (int j = 0; j < 4; ++j) sums |= ((v >> 8 * j) + (above >> 8 * j) & 255) << 8 * j;
    const unsigned wanted = peers ^ (reverse(odd) >> 7) ^ ((v & 0xffff) | above << 16) ^
                            unsigned(__builtin_clz(v | 1) << 3) ^ (wide << 9 | v >> 23) ^ unsigned(__builtin_ffs(v)) ^ sums;
    EXPECT(words[i] == wanted);
  }

  __half *ha, *hb;
  float* c;
  CHECK(cudaMallocManaged(&ha, 256 * sizeof(__half)));
  CHECK(cudaMallocManaged(&hb, 256 * sizeof(__half)));
  CHECK(cudaMallocManaged(&c, 256 * sizeof(float)));
  for (int i = 0; i < 256; ++i) ha[i] = __float2half(i % 7 - 3), hb[i] = __float2half(i % 5 - 2);
  product<<<1, 32>>>(ha, hb, c);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = 0;
      for (int k = 0; k < 16; ++k) sum += __half2float(ha[i * 16 + k]) * __half2float(hb[j * 16 + k]);
      EXPECT(c[i * 16 + j] == sum);
    }
  std::puts("PASSED: small numbers");
}
