// How long loads from DRAM take that nobody made before, and how many loads L1 takes before warps wait to issue them.
//   nvcc -arch=sm_90 -std=c++17 -O3 -o first_loads tools/golden/first_loads.cu && ./first_loads > first_loads.txt
//   ncu --clock-control none --cache-control all --metrics smsp__inst_executed.sum -k regex:first ./first_loads emptied | grep ^first >> first_loads.txt
// `first`: what L2 holds (changed lines, unchanged ones, nothing: a profiler's state), blocks and their warps; cycles until a warp's load
// is there: mean, least, most. `under_way`: warps of a block; cycles until each of them has issued 24 loads from DRAM: least, most.
// `taken`: bytes from row to row of four lanes each, whether L1 has them, warps; cycles after which the first warp has issued each of its 32 loads.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr std::size_t kBytes = 256u << 20;  // more than L2 holds

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ int load(const int* p) {
  int v;
  asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void read_all(const int4* p, int* out) {
  int sum = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kBytes / 16; i += gridDim.x * blockDim.x)
    sum += p[i].x ^ p[i].y ^ p[i].z ^ p[i].w;
  if (sum == 1) *out = sum;
}

__global__ void first(const int* p, unsigned* out) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int* mine = p + warp * 32 + threadIdx.x % 32;
  asm volatile("" : "+l"(mine));  // its parameter is there
  const unsigned begin = now();
  if (load(mine) == 1) return;  // not before it is there
  const unsigned end = now();
  if (threadIdx.x % 32 == 0) out[warp] = end - begin;
}

__global__ void under_way(const int* p, unsigned* out) {
  constexpr int kLoads = 24;
  const int* mine = p + threadIdx.x / 32 * 2048 + threadIdx.x % 32;
  int v[kLoads], sum = 0;
  const unsigned begin = now();
#pragma unroll
  for (int i = 0; i < kLoads; ++i) v[i] = load(mine + i * 32);
  const unsigned end = now();
  for (int i = 0; i < kLoads; ++i) sum += v[i];
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = end - begin + (sum == 1);
}

constexpr int kTaken = 32;
__global__ void taken(const int* p, unsigned* out, int row, int apart, bool hits) {
  const int* mine = p + threadIdx.x / 32 * apart + threadIdx.x % 32 / 4 * row + threadIdx.x % 4;
  int v[kTaken], sum = 0;
  unsigned t[kTaken + 1];
  for (int i = 0; hits && i < kTaken; ++i) sum += load(mine + i * 4);
  if (sum == 1) return;
  __syncthreads();
  t[0] = now();
#pragma unroll
  for (int i = 0; i < kTaken; ++i) {
    v[i] = load(mine + i * 4);
    t[i + 1] = now();
  }
  for (int i = 0; i < kTaken; ++i) sum += v[i];
  if (threadIdx.x == 0 && sum != 1)
    for (int i = 0; i < kTaken; ++i) out[i] = t[i + 1] - t[0];
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "first_loads: %s\n", cudaGetErrorString(e));
  std::exit(1);
}

int main(int count, char**) {
  const bool profiled = count > 1;
  int *all, *data;
  unsigned* out;
  check(cudaMalloc(&all, kBytes));
  check(cudaMalloc(&data, 64 << 20));
  check(cudaMalloc(&out, 1 << 20));
  check(cudaMemset(data, 0, 64 << 20));
  const auto prepare = [&](bool changed) {
    if (changed)
      check(cudaMemset(all, 2, kBytes));
    else
      read_all<<<1056, 256>>>(reinterpret_cast<int4*>(all), data);
    check(cudaDeviceSynchronize());
  };
  std::vector<unsigned> got(1 << 14);
  const auto take = [&](std::size_t n) {
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(got.data(), out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  };
  for (int changed = profiled ? 0 : 1; changed >= 0; --changed)
    for (const int blocks : {4, 32, 132, 528})
      for (const int warps : {1, 8}) {
        double sum = 0;
        unsigned least = ~0u, most = 0;
        const int runs = profiled ? 1 : 5;
        for (int run = 0; run < runs; ++run) {
          if (!profiled) prepare(changed != 0);
          first<<<blocks, warps * 32>>>(data, out);
          take(blocks * warps);
          for (int i = 0; i < blocks * warps; ++i) {
            sum += got[i];
            least = std::min(least, got[i]), most = std::max(most, got[i]);
          }
        }
        std::printf("first %s, %d blocks of %d warps: %.0f %u %u\n", profiled ? "emptied" : changed ? "changed" : "unchanged", blocks,
                    warps, sum / runs / (blocks * warps), least, most);
      }
  if (profiled) return 0;
  for (int warps = 4; warps <= 32; ++warps) {
    prepare(true);
    under_way<<<1, warps * 32>>>(data, out);
    take(warps);
    std::printf("under_way %d warps: %u %u\n", warps, *std::min_element(got.begin(), got.begin() + warps),
                *std::max_element(got.begin(), got.begin() + warps));
  }
  for (const int row : {32, 36})
    for (const bool hits : {true, false})
      for (const int warps : {4, 8, 16}) {
        prepare(true);
        taken<<<1, warps * 32>>>(data, out, row, row * 8, hits);
        take(kTaken);
        std::printf("taken %d, %s, %d warps:", row * 4, hits ? "hits" : "misses", warps);
        for (int i = 0; i < kTaken; ++i) std::printf(" %u", got[i]);
        std::printf("\n");
      }
}
