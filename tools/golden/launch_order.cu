// In which order the blocks of a launch come to the SMs and how long after each other, what each waits for the line of
// code and the first line of constants that all of them miss, and what the profiler counts of both. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o launch_order tools/golden/launch_order.cu && ./launch_order
//   ncu --clock-control none --cache-control all --metrics smsp__inst_issued.sum ./launch_order
// (tests/models/golden/launch_order_h200.txt). Kind 1 goes on with arithmetic, so that its blocks stay.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Seen {
  unsigned sm, block, begin, shape;
};
__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}
template <int KIND>
__global__ void begins(Seen* out) {
  const unsigned begin = now();
  unsigned a, sm;
  asm volatile("mov.u32 %0,%%ntid.x; add.u32 %0,%0,%1;" : "=r"(a) : "r"(begin) : "memory");
  const unsigned shape = now() + (a == 77);
  if (KIND == 1)
    for (int i = 0; i < 200; ++i) asm volatile("add.u32 %0,%0,%1;" : "+r"(a) : "r"(begin));
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  if (threadIdx.x % 32 == 0)
    out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {sm, blockIdx.x, begin, shape - begin + (a == 77)};
}

template <int KIND>
void read(Seen* out, int blocks, int threads) {
  begins<KIND><<<blocks, threads>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) std::puts("failed"), std::exit(1);
  const int warps = threads / 32;
  std::vector<Seen> all(blocks * warps);
  cudaMemcpy(all.data(), out, all.size() * sizeof(Seen), cudaMemcpyDeviceToHost);
  std::vector<std::vector<Seen>> of(132);  // by SM, the first warp of each block
  for (std::size_t i = 0; i < all.size(); i += warps)
    if (all[i].sm < 132) of[all[i].sm].push_back(all[i]);
  std::size_t most = 0;
  for (auto& v : of) {
    std::sort(v.begin(), v.end(), [](const Seen& a, const Seen& b) { return int(a.begin - b.begin) < 0; });
    most = std::max(most, v.size());
  }
  std::printf("kind %d, %d blocks of %d threads\n", KIND, blocks, threads);
  for (std::size_t n = 0; n < most; n += n < 8 ? 1 : 4) {
    double shape = 0, gap = 0;
    std::vector<int> begin;
    for (auto& v : of)
      if (n < v.size()) {
        begin.push_back(v[n].begin - v[0].begin);
        shape += v[n].shape;
        gap += n ? double(v[n].block) - double(v[n - 1].block) : 0;
      }
    std::sort(begin.begin(), begin.end());
    double mean = 0;
    for (int b : begin) mean += double(b) / begin.size();
    std::printf("  block %2zu of its SM (%3zu SMs): begins %.0f (%d to %d), number +%.0f, waits %.0f for the shape\n", n, begin.size(), mean,
                begin.front(), begin.back(), gap / begin.size(), shape / begin.size());
  }
}

int main() {
  Seen* out;
  cudaMalloc(&out, 8 << 20);
  for (int blocks : {1056, 4224, 8448}) read<0>(out, blocks, 32);
  for (int blocks : {1056, 4224}) read<0>(out, blocks, 64);
  for (int blocks : {528, 2112}) read<0>(out, blocks, 128);
  for (int blocks : {264, 1056, 2112}) read<0>(out, blocks, 256);
  for (int blocks : {2112, 4224}) read<1>(out, blocks, 32);
}
