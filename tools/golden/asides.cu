// What constants and special registers that a warp asks for wait for on their ways beside L1: to be issued (mio throttle) or
// for their results (short scoreboard). Read by waits.py.
//
// A turn of a warp asks `each` times, and then needs what it was given. The constants are in one place that lanes give. ptxas
// reads both registers with S2R, and has a warp wait for each %warpid before it asks for the next.
enum Kind { kConstants, kOfTheSm, kOfTheWarp };
__constant__ int table[1024];

template <int kind>
__device__ int ask(int k, int nowhere) {
  int v = 0;
  if (kind == kConstants)
    asm volatile("ld.const.s32 %0,[%1];" : "=r"(v) : "l"((unsigned long long)(nowhere + 4 * k)) : "memory");
  if (kind == kOfTheSm) asm volatile("mov.u32 %0,%%smid;" : "=r"(v)::"memory");
  if (kind == kOfTheWarp) asm volatile("mov.u32 %0,%%warpid;" : "=r"(v)::"memory");
  return v;
}

template <int kind, int each>
__global__ void asides(int* out, int turns) {
  int nowhere = out[threadIdx.x % 32] + table[turns >> 20], sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    int got[each];
#pragma unroll
    for (int k = 0; k < each; ++k) got[k] = ask<kind>(k, nowhere);
#pragma unroll
    for (int k = 0; k < each; ++k) sum += got[k];
    if (sum == 123456789) turn = turns;
    if (kind == kConstants) nowhere += got[0];  // it is zero, and ptxas does not know
  }
  if (sum == 987654321) out[0] = sum;
}

#define EACH(KIND)                                        \
  template __global__ void asides<KIND, 1>(int*, int);    \
  template __global__ void asides<KIND, 2>(int*, int);    \
  template __global__ void asides<KIND, 4>(int*, int);    \
  template __global__ void asides<KIND, 8>(int*, int);
EACH(0) EACH(1) EACH(2)
