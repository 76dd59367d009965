// What LDC takes of parameters when a launch begins, beside what an operand that is a constant does: of warps that wait for
// one after the other, and of warps that issue several before they wait. By the block that they are of on their SM, behind
// an emptied L2. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o first_constants tools/golden/first_constants.cu && ./first_constants
// (tests/models/golden/first_constants_h200.txt).
// Parameters are 8 words, all in one line, or 256.
// Kind 0: a special register, LDC of a first line, of a second one, an operand in the first, an operand in the second.
// Kind 1: a special register, an operand in the first line, LDC of it, LDC of a second one, an operand in that.
// Kind 2: issued, nothing waited for: LDC of the first line, two special registers, LDC of the second; then all of them.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

template <int WORDS> struct Some {
  unsigned v[WORDS];
};
struct Seen {
  unsigned long long sm, at[6];
};

// CS2R: of the warp's registers, not the uniform ones, which ptxas reads on the way of special registers.
__device__ __forceinline__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(t)::"memory");
  return t;
}
// Zero of every lane, and ptxas does not know: what is read there is read through LDC.
__device__ __forceinline__ unsigned nowhere() {
  unsigned r;
  asm volatile("{ .reg .u32 m; mov.u32 m,%%lanemask_lt; shr.u32 %0,m,31; }" : "=r"(r)::"memory");
  return r;
}
__device__ __forceinline__ void use(unsigned& a, unsigned b) {
  asm volatile("add.u32 %0,%1,%0;" : "+r"(a) : "r"(b) : "memory");
}

template <int KIND, int WORDS> __global__ void when(Seen* out, const __grid_constant__ Some<WORDS> m) {
  constexpr int kSecond = WORDS > 16 ? 48 : 2;  // of a second line, where there is one
  unsigned long long t[6];
  unsigned a = 0, sm;
  t[0] = now();
  const unsigned z = nowhere();
  use(a, z);
  t[1] = now() + (a == 77);
  if constexpr (KIND == 0) {
    use(a, m.v[z]);
    t[2] = now() + (a == 77);
    use(a, m.v[kSecond + z]);
    t[3] = now() + (a == 77);
    use(a, m.v[1]);
    t[4] = now() + (a == 77);
    use(a, m.v[kSecond + 1]);
    t[5] = now() + (a == 77);
  } else if constexpr (KIND == 1) {
    use(a, m.v[0]);
    t[2] = now() + (a == 77);
    use(a, m.v[1 + z]);
    t[3] = now() + (a == 77);
    use(a, m.v[kSecond + z]);
    t[4] = now() + (a == 77);
    use(a, m.v[kSecond + 1]);
    t[5] = now() + (a == 77);
  } else {
    unsigned c, d, e, f;
    asm volatile("mov.u32 %0,%1;" : "=r"(c) : "r"(m.v[z]) : "memory");
    t[2] = now();
    e = nowhere();
    f = nowhere();
    t[3] = now();
    asm volatile("mov.u32 %0,%1;" : "=r"(d) : "r"(m.v[kSecond + z]) : "memory");
    t[4] = now();
    use(a, c), use(a, d), use(a, e), use(a, f);
    t[5] = now() + (a == 77);
  }
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  if (threadIdx.x % 32 == 0)
    out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {sm, {t[0], t[1], t[2], t[3], t[4], t[5]}};
  if (a == 0x12345) out[0].sm = a;
}

template <int KIND, int WORDS> void read(int blocks, int threads, Seen* out, char* flush) {
  for (int turn = 0; turn < 3; ++turn) {
    cudaMemset(flush, turn, 256 << 20);
    cudaDeviceSynchronize();
    when<KIND, WORDS><<<blocks, threads>>>(out, Some<WORDS>{});
    if (cudaDeviceSynchronize() != cudaSuccess) {
      std::printf("failed\n");
      return;
    }
  }
  const int warps = threads / 32;
  std::vector<Seen> all(blocks * warps);
  cudaMemcpy(all.data(), out, all.size() * sizeof(Seen), cudaMemcpyDeviceToHost);
  std::printf("kind %d, %d words, %d blocks of %d\n", KIND, WORDS, blocks, threads);
  std::vector<std::vector<int>> of(1024);  // blocks of each SM, in the order in which they begin
  for (int b = 0; b < blocks; ++b) of[all[b * warps].sm].push_back(b);
  std::size_t most = 0;
  for (auto& sm : of) {
    std::sort(sm.begin(), sm.end(), [&](int a, int b) { return all[a * warps].at[0] < all[b * warps].at[0]; });
    most = std::max(most, sm.size());
  }
  for (std::size_t n = 0; n < most; ++n) {
    double begin = 0, took[5] = {}, count = 0;
    for (const auto& sm : of) {
      if (sm.size() <= n) continue;
      for (int w = 0; w < warps; ++w) {
        const Seen& s = all[sm[n] * warps + w];
        begin += double(s.at[0]) - double(all[sm[0] * warps].at[0]);
        for (int k = 0; k < 5; ++k) took[k] += double(s.at[k + 1] - s.at[k]);
        ++count;
      }
    }
    std::printf("  block %zu of its SM: begins %.0f, took %.0f, %.0f, %.0f, %.0f, %.0f\n", n, begin / count, took[0] / count,
                took[1] / count, took[2] / count, took[3] / count, took[4] / count);
  }
}

int main() {
  Seen* out;
  char* flush;
  cudaMalloc(&out, 1 << 22);
  cudaMalloc(&flush, 256 << 20);
  const int shapes[][2] = {{1, 32}, {132, 32}, {1056, 32}, {132, 256}, {528, 256}, {1056, 256}, {264, 1024}, {4224, 64}};
  for (const auto& s : shapes) {
    read<0, 8>(s[0], s[1], out, flush);
    read<0, 256>(s[0], s[1], out, flush);
    read<1, 8>(s[0], s[1], out, flush);
    read<1, 256>(s[0], s[1], out, flush);
    read<2, 8>(s[0], s[1], out, flush);
    read<2, 256>(s[0], s[1], out, flush);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
