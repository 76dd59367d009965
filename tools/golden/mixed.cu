// What an SM does of two kinds of instructions that are issued by turns, beside what it does of each alone: kinds that go
// the same way take as long as both together, others as long as the longer of them. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o mixed tools/golden/mixed.cu && ./mixed > tests/models/golden/mixed_h200.txt
// ptxas reads %warpid with S2R and %smid with S2UR here; %tid, %laneid and %ctaid it reads once. A line: two kinds, how many
// warps issue them, cycles of the SM for one of each. Where both are the same, for two of it.
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

enum Op { kWarp, kSm, kTable, kShuffle, kShared, kRoot, kLoad, kOps };
constexpr const char* kNames[] = {"warpid", "smid", "ldc", "shfl", "lds", "rcp", "ldg"};
__constant__ unsigned table[16000];

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}

template <int OP> __device__ __forceinline__ unsigned one(unsigned a, unsigned at, const unsigned* near) {
  unsigned r = a;
  float f;
  if constexpr (OP == kWarp) asm volatile("mov.u32 %0,%%warpid;" : "=r"(r)::"memory");
  if constexpr (OP == kSm) asm volatile("mov.u32 %0,%%smid;" : "=r"(r)::"memory");
  if constexpr (OP == kTable) asm volatile("ld.const.u32 %0,[%1];" : "=r"(r) : "l"((unsigned long long)(a * 4)) : "memory");
  if constexpr (OP == kShuffle) asm volatile("shfl.sync.bfly.b32 %0,%1,1,31,-1;" : "=r"(r) : "r"(a) : "memory");
  if constexpr (OP == kShared) asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(at) : "memory");
  if constexpr (OP == kRoot) {
    asm volatile("rcp.approx.ftz.f32 %0,%1;" : "=f"(f) : "f"(__uint_as_float(a)) : "memory");
    r = __float_as_uint(f);
  }
  if constexpr (OP == kLoad) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(r) : "l"(near) : "memory");
  return r;
}

// Four pairs at a time, of warps that begin together.
template <int A, int B> __global__ void __launch_bounds__(1024) pairs(unsigned* out, const unsigned* near, unsigned zero) {
  __shared__ unsigned words[1024];
  words[threadIdx.x] = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * 4;
  near += threadIdx.x % 32;
  unsigned own = near[0], sum = table[zero], begin = 0, end = 0;  // of lanes, not of the warp
  for (int turn = 0; turn < 2; ++turn) {  // the first one brings text and tables
    __syncthreads();
    begin = now();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      unsigned a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = one<A>(own + 3 * i, at, near);
        b[i] = one<B>(own + 3 * i + 1, at, near);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) sum += a[i] + b[i];
      own += zero * (k + 1) * sum;
    }
    end = now() + (sum == 77 ? zero : 0);
  }
  if (threadIdx.x % 32 == 0) {
    out[threadIdx.x / 32 * 2] = begin;
    out[threadIdx.x / 32 * 2 + 1] = end;
  }
  if (sum == 0x12345678) out[100] = sum;
}

template <int A, int B> void read(unsigned* out, const unsigned* near) {
  for (int warps : {4, 8, 16, 32}) {
    for (int again = 0; again < 2; ++again) pairs<A, B><<<1, warps * 32>>>(out, near, 0);
    unsigned times[64];
    cudaMemcpy(times, out, sizeof times, cudaMemcpyDeviceToHost);
    unsigned begin = ~0u, end = 0;
    for (int w = 0; w < warps; ++w) begin = std::min(begin, times[2 * w]), end = std::max(end, times[2 * w + 1]);
    std::printf("%s, %s: %d warps, %.2f cycles\n", kNames[A], kNames[B], warps, (double)(end - begin) / (64.0 * warps));
  }
}

template <int A, int B> void all(unsigned* out, const unsigned* near) {
  read<A, B>(out, near);
  if constexpr (B + 1 < kOps)
    all<A, B + 1>(out, near);
  else if constexpr (A + 1 < kOps)
    all<A + 1, A + 1>(out, near);
}

int main() {
  unsigned *out, *near;
  cudaMalloc(&out, 4096);
  cudaMalloc(&near, 4096);
  cudaMemset(near, 0, 4096);
  all<0, 0>(out, near);
  return cudaDeviceSynchronize() != cudaSuccess;
}
