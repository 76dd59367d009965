// When the warps of small blocks begin, and how long each waits for constants: what the first instruction that reads the
// block's shape takes, one that reads a first line of parameters, a second one and one beside that, by the how-many-eth
// warp of its SM, behind an emptied L2. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o beginnings tools/golden/beginnings.cu && ./beginnings
// (tests/models/golden/beginnings_h100.txt). Kind 1 goes on with arithmetic, so that its blocks stay.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
struct Many { unsigned v[256]; };
struct Seen { unsigned sm, begin, shape, first, second, third, end; };
__device__ __forceinline__ unsigned now() { unsigned t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory"); return t; }
template <int KIND> __global__ void when(Seen* out, const __grid_constant__ Many m) {
  const unsigned t0 = now();
  unsigned a, sm;
  asm volatile("mov.u32 %0,%%ntid.x; add.u32 %0,%0,%1;" : "=r"(a) : "r"(t0) : "memory");
  const unsigned t1 = now() + (a == 77);
  asm volatile("add.u32 %0,%1,%2;" : "=r"(a) : "r"(m.v[16]), "r"(a) : "memory");
  const unsigned t2 = now() + (a == 77);
  asm volatile("add.u32 %0,%1,%2;" : "=r"(a) : "r"(m.v[48]), "r"(a) : "memory");
  const unsigned t3 = now() + (a == 77);
  asm volatile("add.u32 %0,%1,%2;" : "=r"(a) : "r"(m.v[56]), "r"(a) : "memory");  // the same pair of lines
  const unsigned t4 = now() + (a == 77);
  asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
  if (KIND == 1) for (int i = 0; i < 200; ++i) asm volatile("add.u32 %0,%0,%1;" : "+r"(a) : "r"(t0));
  const unsigned t5 = now() + (a == 77);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {sm, t0, t1 - t0, t2 - t1, t3 - t2, t4 - t3, t5};
}
template <int KIND> void read(int blocks, int threads, Seen* out, char* flush) {
  Many m{};
  for (int turn = 0; turn < 3; ++turn) {
    cudaMemset(flush, turn, 256 << 20);
    cudaDeviceSynchronize();
    when<KIND><<<blocks, threads>>>(out, m);
    if (cudaDeviceSynchronize() != cudaSuccess) { std::printf("failed\n"); return; }
  }
  const int warps = threads / 32;
  std::vector<Seen> all(blocks * warps);
  cudaMemcpy(all.data(), out, all.size() * sizeof(Seen), cudaMemcpyDeviceToHost);
  std::vector<std::vector<Seen>> of(132);
  for (const Seen& s : all) if (s.sm < 132) of[s.sm].push_back(s);
  std::printf("kind %d threads %d blocks %d\n", KIND, threads, blocks);
  for (auto& v : of) std::sort(v.begin(), v.end(), [](auto& a, auto& b) { return (int)(a.begin - b.begin) < 0; });
  const std::size_t most = std::max_element(of.begin(), of.end(), [](auto& a, auto& b) { return a.size() < b.size(); })->size();
  for (std::size_t n = 0; n < std::min<std::size_t>(most, 48); ++n) {
    double sum[6] = {}; int k = 0;
    for (auto& v : of) if (n < v.size()) { ++k; sum[0] += v[n].begin - v[0].begin; sum[1] += v[n].shape; sum[2] += v[n].first; sum[3] += v[n].second; sum[4] += v[n].third; sum[5] += v[n].end - v[0].begin; }
    std::printf("  warp %2zu of its SM (%3d SMs): begins %.0f shape %.0f first %.0f second %.0f third %.0f ends %.0f\n", n, k, sum[0] / k, sum[1] / k, sum[2] / k, sum[3] / k, sum[4] / k, sum[5] / k);
  }
  // the spread over SMs of the first warp
  std::vector<unsigned> s; for (auto& v : of) if (!v.empty()) s.push_back(v[0].shape); std::sort(s.begin(), s.end());
  std::printf("  shape of first warps: min %u q1 %u median %u q3 %u max %u\n", s[0], s[s.size() / 4], s[s.size() / 2], s[3 * s.size() / 4], s.back());
}
int main() {
  Seen* out; char* flush; cudaMalloc(&out, 4 << 20); cudaMalloc(&flush, 256 << 20);
  for (int threads : {32, 64, 128, 256}) for (int blocks : {1, 16, 132, 264, 924, 1056, 4224}) read<0>(blocks, threads, out, flush);
  for (int threads : {32, 64}) for (int blocks : {924, 4224}) read<1>(blocks, threads, out, flush);
}
