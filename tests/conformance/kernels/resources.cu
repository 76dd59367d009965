// What limits the blocks of an SM besides size: named barriers, and the driver's own routines.
#include <cstdio>
#include <cstdlib>

// Five named barriers, one a pair of warps: the highest number counts.
__global__ void pairs_of_warps(const float* in, float* out) {
  __shared__ float s[256];
  const int t = threadIdx.x, pair = t / 64;
  s[t] = in[blockIdx.x * 256 + t];
  if (pair == 0)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else if (pair == 1)
    asm volatile("bar.sync 2, 64;" ::: "memory");
  else if (pair == 2)
    asm volatile("bar.sync 3, 64;" ::: "memory");
  else
    asm volatile("bar.sync 4, 64;" ::: "memory");
  out[blockIdx.x * 256 + t] = s[t ^ 63];
}
// One barrier with a high number.
__global__ void ninth_barrier(int* data) {
  __shared__ int s[64];
  s[threadIdx.x] = data[blockIdx.x * 64 + threadIdx.x];
  asm volatile("barrier.sync 9;" ::: "memory");
  data[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
// Few registers of its own; the heap's routines ask for more. Never taken: what they do is not counted here.
__global__ void heap_never_used(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (data[i] == -n) {
    int* p = static_cast<int*>(malloc(16));
    if (p) p[0] = i;
    free(p);
  }
  data[i] += n;
}
__global__ void print_never(const int* data, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (data[i] > n) printf("%d\n", data[i]);
  out[i] = data[i] * 2;
}
