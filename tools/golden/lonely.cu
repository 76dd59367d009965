// How long one warp, or a few, wait for loads that touch several lines of L1 or several rows of a bank: cycles of a batch
// of loads that do not need each other, whose sum the next batch's addresses need. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o lonely tools/golden/lonely.cu && ./lonely > tests/models/golden/lonely_h200.txt
// A line: where, lines (rows) that a load touches, loads of a batch, warps of the SM, cycles of a batch. `hits`: L1 has
// the lines; `sectors`: every batch asks for the next sector of lines that L2 has, `cold`: that only DRAM has.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
enum Where { kHits, kSectors, kShared };

template <int WHERE, int BATCH> __global__ void waits(unsigned* memory, unsigned* out, int lines, int turns, int zero) {
  extern __shared__ unsigned words[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // A lane's line; in shared memory its row of one bank.
  const unsigned shared = (unsigned)__cvta_generic_to_shared(words) + (lane % lines) * 128 + (lines == 1 ? lane * 4 : 0);
  unsigned* global = memory + ((size_t)(blockIdx.x * (blockDim.x / 32) + warp) * 32 + lane % lines) * 4096 + (lines == 1 ? lane : 0);
  unsigned sum = 0, begin = 0;
  const int first = WHERE == kSectors ? 0 : -2;
  for (int t = first; t < turns; ++t) {
    if (t == 0) {
      __syncthreads();
      begin = now();
    }
    unsigned of[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; ++i) {
      if constexpr (WHERE == kShared)
        asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(of[i]) : "r"(shared + sum + 4096 * (i % 4) * zero) : "memory");
      else if constexpr (WHERE == kHits)
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(of[i]) : "l"(global + sum + i % 8) : "memory");
      else
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(of[i]) : "l"(global + sum + t * 8 + i % 8) : "memory");
    }
#pragma unroll
    for (int i = 0; i < BATCH; ++i) sum += of[i];
  }
  const unsigned end = now() + (sum == 77 ? 1 : 0);
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = (end - begin) / turns;
}

template <int WHERE, int BATCH> void read(unsigned* memory, unsigned* out, const char* name, bool cold, unsigned* dirt) {
  for (int warps : {1, 4, 16})
    for (int lines : {1, 2, 4, 8, 16, 32}) {
      unsigned cycles = 0;
      for (int again = 0; again < 2; ++again) {
        cudaMemset(dirt, 0, (std::size_t)256 << 20);
        if (!cold) {  // the lines come back to L2
          cudaMemset(memory, 0, (std::size_t)16 * 32 * 4096 * 4);
        }
        waits<WHERE, BATCH><<<1, warps * 32, 32768>>>(memory, out, lines, 64, 0);
        cudaMemcpy(&cycles, out, 4, cudaMemcpyDeviceToHost);
      }
      std::printf("%s, %d lines, %d loads, %d warps: %u cycles\n", name, lines, BATCH, warps, cycles);
    }
}

int main() {
  unsigned *memory, *out, *dirt;
  cudaMalloc(&memory, (std::size_t)64 << 20), cudaMalloc(&out, 64), cudaMalloc(&dirt, (std::size_t)256 << 20);
  cudaMemset(memory, 0, (std::size_t)64 << 20);
  read<kHits, 1>(memory, out, "hits", false, dirt), read<kHits, 4>(memory, out, "hits", false, dirt), read<kHits, 8>(memory, out, "hits", false, dirt);
  read<kShared, 1>(memory, out, "shared", false, dirt), read<kShared, 4>(memory, out, "shared", false, dirt), read<kShared, 8>(memory, out, "shared", false, dirt);
  read<kSectors, 1>(memory, out, "sectors", false, dirt), read<kSectors, 4>(memory, out, "sectors", false, dirt);
  read<kSectors, 1>(memory, out, "cold", true, dirt), read<kSectors, 4>(memory, out, "cold", true, dirt);
  std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
