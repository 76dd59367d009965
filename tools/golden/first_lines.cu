// What the profiler says warps wait for while the first lines of their code come, behind jumps, and at the end behind
// their stores. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o first_lines tools/golden/first_lines.cu
//   ncu --clock-control none --cache-control all --csv --page raw --metrics STATES ./first_lines
// (STATES of tools/golden/models.py; tools/golden/states_text.py writes tests/models/golden/first_lines_h200.txt from it).
// straight<N, KIND>: N multiplications in a row. KIND 0: each needs the one before; 1: of four; 2: as 0, behind a load
// that the last of them needs; 3: as 0, behind a load that the first needs. loop<N>: a loop of about N instructions,
// 64 turns. ahead<N, M>: a jump over N multiplications, M times. stores<N, STRIDE>: N stores of a lane, STRIDE words
// from its neighbour's.
#include <cstdio>

#include <cuda_runtime.h>

__device__ __forceinline__ void multiply(float& x, float a) {
  asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(x) : "f"(a));
}

template <int N, int KIND> __global__ void straight(float* out, float a) {
  float x[4] = {a, a + 1, a + 2, a + 3};
  float far = 0;
  if constexpr (KIND >= 2) far = *(volatile float*)(out + threadIdx.x % 32);
  if constexpr (KIND == 3) x[0] += far;
#pragma unroll
  for (int i = 0; i < N; ++i) multiply(x[KIND == 1 ? i % 4 : 0], a);
  if constexpr (KIND == 2) x[0] += far;
  const float sum = x[0] + x[1] + x[2] + x[3];
  if (sum == 12345.f) out[64] = sum;
}

template <int N> __global__ void loop(float* out, float a, int turns) {
  float x = a;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int i = 0; i < N - 3; ++i) multiply(x, a);
  }
  if (x == 12345.f) out[64] = x;
}

template <int N, int M> __global__ void ahead(float* out, float a, int never) {
  float x = a;
#pragma unroll
  for (int m = 0; m < M; ++m) {
    if (never == m + 1) {
#pragma unroll
      for (int i = 0; i < N; ++i) multiply(x, a);
    }
    multiply(x, a);
  }
  if (x == 12345.f) out[64] = x;
}

template <int N, int STRIDE> __global__ void stores(float* out, float a) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < N; ++i) out[64 + at * STRIDE + i * (STRIDE == 1 ? 32 : 1) * 4096 % (1 << 22)] = a;
}

static float* memory;

template <int N, int KIND> void straights() {
  struct { int blocks, threads; } of[] = {{1, 32}, {4, 256}, {128, 256}, {264, 256}, {1056, 256}};
  for (auto s : of) straight<N, KIND><<<s.blocks, s.threads>>>(memory, 0.5f);
}
template <int KIND> void lengths() {
  straights<2, KIND>(), straights<8, KIND>(), straights<16, KIND>(), straights<24, KIND>(), straights<32, KIND>();
  straights<40, KIND>(), straights<56, KIND>(), straights<72, KIND>(), straights<104, KIND>(), straights<168, KIND>();
  straights<232, KIND>(), straights<488, KIND>();
}
template <int N> void loops() {
  for (int turns : {1, 17, 65})
    for (int warps : {1, 4, 16}) loop<N><<<1, warps * 32>>>(memory, 0.5f, turns);
}
template <int N, int STRIDE> void storing() {
  struct { int blocks, threads; } of[] = {{1, 32}, {1, 256}, {4, 256}, {132, 256}, {264, 512}};
  for (auto s : of) stores<N, STRIDE><<<s.blocks, s.threads>>>(memory, 0.5f);
}

int main() {
  cudaMalloc(&memory, (std::size_t)1 << 30);
  cudaMemset(memory, 0, (std::size_t)1 << 30);
  lengths<0>(), lengths<1>(), lengths<2>(), lengths<3>();
  loops<4>(), loops<6>(), loops<8>(), loops<12>(), loops<16>(), loops<24>(), loops<32>(), loops<48>(), loops<64>(), loops<96>();
  ahead<4, 8><<<1, 32>>>(memory, 0.5f, 0), ahead<12, 8><<<1, 32>>>(memory, 0.5f, 0);
  ahead<28, 8><<<1, 32>>>(memory, 0.5f, 0), ahead<60, 8><<<1, 32>>>(memory, 0.5f, 0), ahead<124, 8><<<1, 32>>>(memory, 0.5f, 0);
  storing<1, 1>(), storing<4, 1>(), storing<8, 1>(), storing<1, 8>(), storing<4, 8>(), storing<8, 8>(), storing<1, 33>(), storing<4, 33>();
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
