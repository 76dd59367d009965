// Mistakes that a GPU notices itself, in places where the kernel has done much before.
#include <cassert>
#define KERNEL extern "C" __global__ void

KERNEL far_out(const int* in, int* out, int n) {
  int k = threadIdx.x;
  for (int turn = 0; turn < 20; ++turn) k = in[k % n];
  out[(long long)k * 100000007 + (1ll << 37) * (blockIdx.x == 2 && threadIdx.x == 77)] = k;
}
KERNEL crooked(int* out) { *(long long*)(out + 1 + threadIdx.x * 2) = threadIdx.x; }
KERNEL asserts(const int* in, int* out) {
  const int x = in[blockIdx.x * blockDim.x + threadIdx.x];
  assert(x != 300);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
KERNEL traps_one(const int* in, int* out) {
  if (in[threadIdx.x] == 41) __trap();
  out[threadIdx.x] = in[threadIdx.x];
}
KERNEL flag_that_never_comes(volatile int* flag, int* out) {
  while (flag[blockIdx.x] != 1) {
  }
  out[threadIdx.x] = 1;
}
KERNEL shared_far_out(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 100000 * (threadIdx.x == 31)];
}
