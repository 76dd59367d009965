// What L1 does with stores of a warp that touch many lines, read on one SM by the clock.
//   nvcc -arch=sm_90 -std=c++17 -O3 -o stored_rows tools/golden/stored_rows.cu && ./stored_rows > tests/models/golden/stored_rows_h200.txt
// `behind`: bytes from one lane to the next and lanes that store; cycles of a load of another line that a store stands before, eight
// times. `many`: warps, bytes from lane to lane; cycles of the SM for a load, a store, both of the same word, of the next word and of
// other lines. `turns`: bytes from lane to lane and from turn to turn, pauses of four cycles between, whether another line is loaded as well;
// cycles of sixteen turns of one warp, each of which loads a word of every lane and stores it.
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ float load(const char* p) {
  float v;
  asm volatile("ld.global.ca.f32 %0,[%1];" : "=f"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void store(char* p, float v) { asm volatile("st.global.f32 [%0],%1;" ::"l"(p), "f"(v) : "memory"); }
__device__ __forceinline__ void pause() {
  for (const unsigned from = now(); now() - from < 20000;) {
  }
}

__global__ void behind(char* memory, const char* other, unsigned* out, int apart, int lanes) {
  __shared__ float words[32];
  char* mine = memory + threadIdx.x * apart;
  unsigned t[9];
  float sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 8; ++i) sum += load(mine + i * 4) + load(other + i * 4);
    pause();
    t[0] = now();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if ((int)threadIdx.x < lanes) store(mine + i * 4, sum);
      __syncwarp();
      sum += load(other + i * 4);
      *(volatile float*)&words[threadIdx.x] = sum;  // not before it has come
      t[i + 1] = now();
    }
  }
  if (threadIdx.x == 0)
    for (int i = 0; i < 9; ++i) out[i] = t[i];
}

enum { kLoad, kStore, kSame, kNext, kOther };
template <int WHAT> __global__ void many(char* memory, unsigned* out, int apart, int row, int step) {
  char* mine = memory + threadIdx.x / 32 * row + threadIdx.x % 32 * apart;
  char* far = mine + (1 << 20);
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += load(mine + i * step) + load(far + i * step);
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float v = 1;
      if (WHAT != kStore) v = load(mine + i * step);
      if (WHAT == kLoad) sum += v;
      if (WHAT == kStore || WHAT == kSame) store(mine + i * step, v);
      if (WHAT == kNext) store(mine + (i ^ 1) * step, v);
      if (WHAT == kOther) store(far + i * step, v);
    }
  const unsigned end = now();
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32 * 2] = begin, out[threadIdx.x / 32 * 2 + 1] = end + (sum == 1.5f);
}

template <int PAUSES, bool BETWEEN> __global__ void turns(char* memory, const char* other, unsigned* out, int apart, int step, unsigned x) {
  char* mine = memory + threadIdx.x * apart;
  unsigned t[17];
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < 16; ++i)
      if (load(mine + i * step) + load(other + i * 4) == 1.25f) out[40] = 1;
    pause();
    t[0] = now();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float v = load(mine + i * step);
      if (BETWEEN) v += load(other + i * 4);
      store(mine + i * step, v);
      t[i + 1] = now();
#pragma unroll
      for (int g = 0; g < PAUSES; ++g) asm volatile("mad.lo.u32 %0,%0,%0,1;" : "+r"(x)::"memory");
    }
  }
  if (threadIdx.x == 0)
    for (int i = 0; i < 17; ++i) out[i] = t[i];
  if (x == 12345) out[41] = 1;
}

char* memory;
unsigned* out;

template <int WHAT> double cycles(int warps, int apart) {
  for (int again = 0; again < 2; ++again)
    many<WHAT><<<1, warps * 32>>>(memory, out, apart, std::max(apart * 32, 2048), apart == 4 ? 128 : 4);
  unsigned t[64], begin = ~0u, end = 0;
  cudaMemcpy(t, out, sizeof t, cudaMemcpyDeviceToHost);
  for (int w = 0; w < warps; ++w) begin = std::min(begin, t[2 * w]), end = std::max(end, t[2 * w + 1]);
  return (double)(end - begin) / 64 / warps;
}

void print(const unsigned* device, int n) {
  unsigned t[17];
  cudaMemcpy(t, device, (n + 1) * sizeof *t, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) std::printf(" %u", t[i + 1] - t[i]);
  std::printf("\n");
}

template <int PAUSES> void say_turns() {
  for (int apart : {4, 32, 64, 128, 132})
    for (int step : {4, 0}) {
      const int from_turn = apart == 4 && step == 4 ? 128 : step;
      std::printf("turns %d %d, %d pauses:", apart, from_turn, PAUSES);
      turns<PAUSES, false><<<1, 32>>>(memory, memory + (64 << 20), out, apart, from_turn, 1);
      print(out, 16);
      std::printf("turns %d %d, %d pauses, another:", apart, from_turn, PAUSES);
      turns<PAUSES, true><<<1, 32>>>(memory, memory + (64 << 20), out, apart, from_turn, 1);
      print(out, 16);
    }
}

int main() {
  cudaMalloc(&memory, 1 << 28), cudaMemset(memory, 0, 1 << 28), cudaMalloc(&out, 4096);
  for (int apart : {4, 16, 32, 36, 64, 68, 128, 132})
    for (int lanes : {0, 8, 16, 32}) {
      std::printf("behind %d, %d lanes:", apart, lanes);
      behind<<<1, 32>>>(memory, memory + (64 << 20), out, apart, lanes);
      print(out, 8);
    }
  for (int warps : {1, 2, 4, 8, 16})
    for (int apart : {4, 8, 16, 32, 36, 64, 68, 128, 132})
      std::printf("many %d, %d: %.1f %.1f %.1f %.1f %.1f\n", warps, apart, cycles<kLoad>(warps, apart), cycles<kStore>(warps, apart),
                  cycles<kSame>(warps, apart), cycles<kNext>(warps, apart), cycles<kOther>(warps, apart));
  say_turns<0>(), say_turns<8>(), say_turns<32>(), say_turns<64>();
  std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
