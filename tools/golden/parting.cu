// What the profiler says warps wait for where their lanes part and meet, where some lanes of a warp exchange values, and
// where the address of a global variable is read. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o parting tools/golden/parting.cu
//   ncu --clock-control none --cache-control all --csv --page raw --metrics STATES ./parting
// (STATES of tools/golden/models.py; tools/golden/states_text.py writes tests/models/golden/parting_h200.txt from it).
// parted<N, BODY>: N times one of two ways of BODY multiplications, by lane or (lanes = 0) all the same way. matched<N>:
// N of match.any among `different` values. tiled<N, WIDTH>: N of shfl.down in tiles of WIDTH lanes. summed<N>: N of
// redux.sync. named<N>: N loads from global variables of the module, one after the other.
#include <cstdio>

#include <cuda_runtime.h>

__device__ __forceinline__ void multiply(float& x, float a) {
  asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(a));
}

template <int N, int BODY> __global__ void parted(float* out, float a, unsigned lanes) {
  float x = a;
  const unsigned by = threadIdx.x & lanes;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    if (by >> (n % 5) & 1u) {
#pragma unroll
      for (int i = 0; i < BODY; ++i) multiply(x, a);
    } else {
#pragma unroll
      for (int i = 0; i < BODY; ++i) asm volatile("add.rn.f32 %0,%0,%1;" : "+f"(x) : "f"(a));
    }
  }
  if (x == 12345.f) out[64] = x;
}

template <int N> __global__ void matched(unsigned* out, unsigned different) {
  unsigned x = threadIdx.x % different;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    unsigned m;
    asm volatile("match.any.sync.b32 %0,%1,-1;" : "=r"(m) : "r"(x));
    x += m == 0 ? 1 : 0;
  }
  if (x == 12345u) out[64] = x;
}

template <int N, int WIDTH> __global__ void tiled(float* out, float a) {
  float x = a + static_cast<float>(threadIdx.x);
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = WIDTH == 32 ? 0xffffffffu : ((1u << (WIDTH % 32)) - 1u) << (lane / WIDTH * WIDTH);
#pragma unroll
  for (int n = 0; n < N; ++n) x += __shfl_down_sync(mask, x, 1, WIDTH);
  if (x == 12345.f) out[64] = x;
}

template <int N> __global__ void summed(unsigned* out, unsigned a) {
  unsigned x = a + threadIdx.x;
#pragma unroll
  for (int n = 0; n < N; ++n) x = __reduce_add_sync(0xffffffffu, x) + threadIdx.x;
  if (x == 12345u) out[64] = x;
}

__device__ int apart[8][4096];
__device__ int others[8][4096];
template <int N> __global__ void named(int* out) {
  int at = threadIdx.x;
#pragma unroll
  for (int n = 0; n < N; ++n) at = (n % 2 ? others : apart)[n][at & 1023];
  if (at == 12345) out[64] = at;
}

int main() {
  float* memory;
  cudaMalloc(&memory, 1 << 20);
  cudaMemset(memory, 0, 1 << 20);
  auto* words = reinterpret_cast<unsigned*>(memory);
  for (int threads : {32, 128, 512}) {
    for (unsigned lanes : {0u, 31u}) {
      parted<1, 12><<<1, threads>>>(memory, 0.5f, lanes), parted<2, 12><<<1, threads>>>(memory, 0.5f, lanes);
      parted<4, 12><<<1, threads>>>(memory, 0.5f, lanes), parted<8, 12><<<1, threads>>>(memory, 0.5f, lanes);
      parted<4, 24><<<1, threads>>>(memory, 0.5f, lanes);
    }
    for (unsigned different : {1u, 2u, 4u, 32u}) {
      matched<1><<<1, threads>>>(words, different), matched<4><<<1, threads>>>(words, different);
      matched<8><<<1, threads>>>(words, different);
    }
    tiled<1, 32><<<1, threads>>>(memory, 0.5f), tiled<4, 32><<<1, threads>>>(memory, 0.5f);
    tiled<1, 16><<<1, threads>>>(memory, 0.5f), tiled<4, 16><<<1, threads>>>(memory, 0.5f);
    tiled<1, 8><<<1, threads>>>(memory, 0.5f), tiled<2, 8><<<1, threads>>>(memory, 0.5f), tiled<4, 8><<<1, threads>>>(memory, 0.5f);
    summed<1><<<1, threads>>>(words, 1), summed<4><<<1, threads>>>(words, 1), summed<8><<<1, threads>>>(words, 1);
    named<1><<<1, threads>>>(reinterpret_cast<int*>(memory)), named<2><<<1, threads>>>(reinterpret_cast<int*>(memory));
    named<4><<<1, threads>>>(reinterpret_cast<int*>(memory));
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
