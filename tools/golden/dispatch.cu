// What a scheduler loses behind arithmetic of 64 bits: its cycles for a turn of a few instructions, by how many
// warps it has.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/dispatch.cu -o dispatch && ./dispatch > tests/models/golden/dispatch_h200.txt
//
// One block on one SM. Each warp has eight chains of each kind, so that nothing waits for a result; a turn is one
// of each kind that the line names, and 32 turns stand between two jumps. Where no unit is too slow for it, a turn
// takes as many cycles as it has instructions. An imad.wide adds to 64 bits, for which ptxas brings an IADD3 and
// half an IADD3.X of its own. Of seven launches the median.
#include <algorithm>
#include <cstdio>
#include <vector>

enum Kind { kLop3, kImad, kWide, kUpper, kFfma, kDfma };
constexpr const char* kNames[] = {"lop3", "imad", "imad.wide", "imad.hi", "ffma", "dfma"};
constexpr int kChains = 8, kRepeats = 4, kLoops = 50;

struct Values {
  unsigned bits[kChains], product[kChains], upper[kChains];
  unsigned long long wide[kChains];
  float single[kChains];
  double twice[kChains];
};

template <Kind kind>
__device__ __forceinline__ void one(Values& v, int k, unsigned x, unsigned y) {
  if constexpr (kind == kLop3) asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(v.bits[k]) : "r"(x), "r"(y));
  if constexpr (kind == kImad) asm volatile("mad.lo.u32 %0,%0,%1,%2;" : "+r"(v.product[k]) : "r"(x), "r"(y));
  if constexpr (kind == kWide) asm volatile("{.reg .u32 low; cvt.u32.u64 low,%0; mad.wide.u32 %0,low,%1,%0;}" : "+l"(v.wide[k]) : "r"(x));
  if constexpr (kind == kUpper) asm volatile("mul.hi.u32 %0,%0,%1;" : "+r"(v.upper[k]) : "r"(x));
  if constexpr (kind == kFfma) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(v.single[k]) : "f"(__uint_as_float(x)));
  if constexpr (kind == kDfma) asm volatile("fma.rn.f64 %0,%0,%0,%0;" : "+d"(v.twice[k]));
}

template <Kind... kinds>
__global__ void __launch_bounds__(1024) turns(long long* times, unsigned x, unsigned y, unsigned* sums) {
  Values v;
#pragma unroll
  for (int k = 0; k < kChains; ++k) {
    v.bits[k] = threadIdx.x + k, v.product[k] = 5 * threadIdx.x + k, v.upper[k] = 11 * threadIdx.x + k;
    v.wide[k] = 7ull * threadIdx.x + k, v.single[k] = threadIdx.x + k, v.twice[k] = threadIdx.x + k;
  }
  for (int pass = 0; pass < 2; ++pass) {  // the first one brings the text
    __syncthreads();
    const long long from = clock64();
#pragma unroll 1
    for (int i = 0; i < kLoops; ++i)
#pragma unroll
      for (int r = 0; r < kRepeats; ++r)
#pragma unroll
        for (int k = 0; k < kChains; ++k) (one<kinds>(v, k, x, y), ...);
    const long long to = clock64();
    __syncthreads();
    if (pass == 1 && threadIdx.x % 32 == 0) times[threadIdx.x / 32] = from, times[32 + threadIdx.x / 32] = to;
  }
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kChains; ++k)
    sum += v.bits[k] + v.product[k] + v.upper[k] + static_cast<unsigned>(v.wide[k] ^ v.wide[k] >> 32) + __float_as_uint(v.single[k]) +
           __double2hiint(v.twice[k]);
  sums[threadIdx.x] = sum;
}

long long* times;  // of 32 warps, when they began and when they ended
unsigned* sums;

template <Kind... kinds>
void read() {
  for (const char* name : {kNames[kinds]...}) std::printf("%s ", name);
  std::printf(":");
  for (const int warps : {1, 2, 4, 8}) {
    std::vector<long long> taken;
    for (int n = 0; n < 7; ++n) {
      turns<kinds...><<<1, 128 * warps>>>(times, 3, 5, sums);
      long long read[64];
      if (cudaGetLastError() != cudaSuccess || cudaMemcpy(read, times, sizeof read, cudaMemcpyDefault) != cudaSuccess) std::printf(" failed");
      taken.push_back(*std::max_element(read + 32, read + 32 + 4 * warps) - *std::min_element(read, read + 4 * warps));
    }
    std::nth_element(taken.begin(), taken.begin() + 3, taken.end());
    std::printf(" %.2f", taken[3] / (1.0 * kChains * kRepeats * kLoops * warps));
  }
  std::printf("\n");
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaMalloc(&times, 64 * sizeof *times);
  cudaMalloc(&sums, 1024 * sizeof *sums);
  std::printf("# %s: what a turn is made of, and a scheduler's cycles for it with 1, 2, 4 and 8 warps\n", device.name);
  read<kLop3>(), read<kImad>(), read<kWide>(), read<kUpper>(), read<kFfma>(), read<kDfma>();
  read<kLop3, kImad>(), read<kLop3, kFfma>(), read<kLop3, kDfma>(), read<kImad, kFfma>(), read<kImad, kDfma>();
  read<kLop3, kUpper>(), read<kFfma, kUpper>(), read<kImad, kUpper>(), read<kLop3, kFfma, kUpper>();
  read<kFfma, kFfma, kUpper>(), read<kLop3, kFfma, kFfma, kUpper>(), read<kFfma, kFfma, kFfma, kFfma, kUpper>();
  read<kLop3, kWide>(), read<kFfma, kWide>(), read<kImad, kWide>(), read<kDfma, kWide>(), read<kFfma, kFfma, kWide>();
  read<kFfma, kFfma, kFfma, kWide>(), read<kLop3, kFfma, kWide>(), read<kLop3, kLop3, kWide>(), read<kLop3, kImad, kWide, kFfma>();
  read<kLop3, kLop3, kLop3, kLop3, kWide>(), read<kLop3, kLop3, kFfma, kFfma>(), read<kLop3, kImad, kFfma, kFfma>();
}
