// What a compiler and a machine do with control flow, calls, odd shapes and narrow numbers.
#include <cuda_fp16.h>
#define KERNEL extern "C" __global__ void

KERNEL says_some(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
  if (x % 7 == 3) printf("thread %d has %d, %s\n", i, x, x % 2 ? "odd" : "even");
  else if (x % 7 == 5) out[i] = -x;
  out[i] += x;
}

__device__ __noinline__ int depth_of(int n) { return n <= 1 ? 1 : depth_of(n % 2 ? 3 * n + 1 : n / 2) + 1; }
KERNEL collatz_by_calls(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = depth_of(blockIdx.x * blockDim.x + threadIdx.x + 1); }

// A machine with seven states and a tape.
KERNEL machine(const unsigned char* tape, int* out, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int state = i % 7, acc = 0;
  for (int k = 0; k < length; ++k) {
    const int c = tape[(i * 13 + k) % 4096];
    switch (state) {
      case 0: acc += c; state = c % 7; break;
      case 1: acc ^= c; state = 4; break;
      case 2: acc = acc * 3 + 1; state = c > 128 ? 5 : 0; break;
      case 3: if (c == 0) goto done; state = 6; break;
      case 4: acc -= c; state = (acc & 3) + 1; break;
      case 5: acc += out[i % 64]; state = 2; break;
      default: state = c & 1 ? 3 : 1;
    }
  }
done:
  out[64 + i] = acc;
}

// A local array at places known only at run time.
KERNEL insertion_sort(const int* in, int* out) {
  int a[24];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 24; ++k) {
    const int x = in[i * 24 + k];
    int j = k;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
  for (int k = 0; k < 24; ++k) out[k * gridDim.x * blockDim.x + i] = a[k];
}

KERNEL odd_box(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const auto at = [&](int a, int b, int c) { return in[(min(max(c, 0), nz - 1) * ny + min(max(b, 0), ny - 1)) * nx + min(max(a, 0), nx - 1)]; };
  out[(z * ny + y) * nx + x] = (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1)) / 6.0f;
}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int minus(int x) { return x < 100 ? -x : twice(x); }
__device__ int (*const kTable[3])(int) = {twice, square, minus};
KERNEL by_pointer(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = kTable[in[i] % 3](in[i]);
}

// Loops in loops that are left in the middle.
KERNEL ways_out(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int found = -1, k = i;
  do {
    if (in[k % n] % 11 == 0) continue;
    for (int j = 0; j < 8; ++j) {
      const int x = in[(k + j * 17) % n];
      if (x % 13 == 0) break;
      if (x % 97 == i % 97) {
        found = x;
        goto out;
      }
    }
  } while ((k += 31) < i + 400);
out:
  out[i] = found;
}

KERNEL halves(const __half2* in, __half2* out, float* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 acc = __float2half2_rn(0.0f);
  for (int k = 0; k < 8; ++k) acc = __hfma2(in[(i + k) % 1024], in[(i * 3 + k) % 1024], acc);
  out[i] = acc;
  float s = __low2float(acc) - __high2float(acc);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) sums[i / 32] = s;
}

KERNEL from_the_heap(int* out) {
  const int n = 3 + threadIdx.x % 5;
  int* const p = (int*)malloc(n * sizeof(int));
  for (int k = 0; k < n; ++k) p[k] = k * threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += p[k];
  free(p);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

KERNEL one_for_the_group(const int* in, int* count, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 4 != 1) return;
  const unsigned here = __activemask();
  const int leader = __ffs(here) - 1, lane = threadIdx.x % 32;
  int first = 0;
  if (lane == leader) first = atomicAdd(count, __popc(here));
  first = __shfl_sync(here, first, leader);
  out[first + __popc(here & ((1u << lane) - 1))] = in[i];
}

// Sums whose terms are much larger than they are.
KERNEL almost_nothing(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float re = 0;
  for (int k = 0; k < n; ++k) re += in[k] * __cosf(6.2831853f * (i * k % n) / n);
  out[i] = re;
}

KERNEL where_am_i(int* out) {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  out[blockIdx.x] = sm;
}
