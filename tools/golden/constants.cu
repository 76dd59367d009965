// What the program's constants cost by how much of them a loop reads: by a register of each lane (LDC), of warps that begin
// together or one after the other, and as operands of arithmetic (c[3][..] and ULDC). Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o constants tools/golden/constants.cu && ./constants > tests/models/golden/constants_h200.txt
// A line of the first: bytes that the loop goes through, warps of the SM, cycles from one warp's beginning to the next one's; cycles
// of a warp for 16 bytes the first time and later, cycles of the SM for 16 bytes of all its warps. Of the second: bytes, from one
// operand to the next, warps; cycles of a warp for an operand the first time and later.
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

__constant__ float4 table[4096];

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}

// Two words at a time, each 16 bytes waited for.
__device__ __forceinline__ float turn(int of, float sum, int own) {
#pragma unroll 1
  for (int i = 0; i < of; ++i) {
    const float4 v = table[i + own];
    sum = fmaf(sum, v.x, v.y) + v.z * v.w;
  }
  return sum;
}

__global__ void __launch_bounds__(1024) walk(unsigned* out, int of, int apart, int zero, float one) {
  float sum = one;
  const int own = (int)threadIdx.x * zero, warp = threadIdx.x / 32;
  __syncthreads();
  const unsigned begin = now();
  while (now() - begin < apart * warp) {
  }
  const unsigned start = now();
  sum = turn(of, sum, own);
  const unsigned middle = now() + (sum == 77.f ? zero : 0);
#pragma unroll 1
  for (int again = 0; again < 8; ++again) sum = turn(of, sum, own);
  const unsigned end = now() + (sum == 77.f ? zero : 0);
  if (threadIdx.x % 32 == 0) {
    unsigned* mine = out + warp * 3;
    mine[0] = start, mine[1] = middle, mine[2] = end;
  }
  if (sum == 12345.f) out[100] = 1;
}

void walks(unsigned* device, int bytes, int warps, int apart) {
  unsigned times[96];
  for (int again = 0; again < 2; ++again) walk<<<1, warps * 32>>>(device, bytes / 16, apart, 0, 1.f);
  cudaMemcpy(times, device, sizeof times, cudaMemcpyDeviceToHost);
  double first = 0, later = 0;
  unsigned begin = ~0u, end = 0;
  for (int w = 0; w < warps; ++w) {
    const unsigned* t = times + 3 * w;
    first += t[1] - t[0], later += t[2] - t[1];
    begin = std::min(begin, t[1]), end = std::max(end, t[2]);
  }
  const double reads = bytes / 16;
  std::printf("ldc: %d bytes, %d warps, %d cycles apart: %.1f, %.1f, %.2f\n", bytes, warps, apart, first / warps / reads,
              later / warps / reads / 8, (end - begin) / reads / 8 / warps);
}

template <int WORDS, int STEP> __global__ void __launch_bounds__(1024) operands(unsigned* out, float one) {
  float sum = one, other = one;
  unsigned first = 0, later = 0;
  const float* words = reinterpret_cast<const float*>(table);
  __syncthreads();
#pragma unroll 1
  for (int turn = 0; turn < 6; ++turn) {
    const unsigned begin = now();
#pragma unroll
    for (int i = 0; i < WORDS; i += 2) {
      sum = fmaf(sum, words[i * STEP], other);
      other = fmaf(other, words[(i + 1) * STEP], sum);
    }
    const unsigned took = now() - begin + (other == 77.f ? 1 : 0);
    if (turn == 0) first = took;
    if (turn >= 2) later += took;
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = first, out[threadIdx.x / 32 * 2 + 1] = later / 4;
  if (sum + other == 12345.f) out[100] = 1;
}

template <int WORDS, int STEP> void of_operands(unsigned* out) {
  for (int warps : {1, 4, 16}) {
    unsigned times[64];
    operands<WORDS, STEP><<<1, warps * 32>>>(out, 1.f);
    cudaMemcpy(times, out, sizeof times, cudaMemcpyDeviceToHost);
    double first = 0, later = 0;
    for (int w = 0; w < warps; ++w) first += times[2 * w], later += times[2 * w + 1];
    std::printf("operand: %d bytes, %d apart, %d warps, %.1f, %.1f\n", WORDS * STEP * 4, STEP * 4, warps, first / warps / WORDS,
                later / warps / WORDS);
  }
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 4096);
  for (int bytes : {256, 512, 1024, 1536, 1792, 1920, 2048, 2304, 2560, 4096, 16384, 65536})
    for (int warps : {1, 4, 8, 16, 32})
      for (int apart : {0, 33, 300}) {
        if (warps == 1 && apart) continue;
        walks(out, bytes, warps, apart);
      }
  of_operands<64, 1>(out), of_operands<128, 1>(out), of_operands<256, 1>(out), of_operands<448, 1>(out), of_operands<512, 1>(out);
  of_operands<640, 1>(out), of_operands<1024, 1>(out), of_operands<64, 8>(out), of_operands<128, 8>(out), of_operands<512, 8>(out);
  std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
