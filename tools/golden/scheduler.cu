// Which of its warps a scheduler takes when several could go on.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/scheduler.cu -o scheduler && ./scheduler
//
// All warps of an SM come to a point at about the same time (they wait for a moment on the clock), and each executes the
// same straight text: "alone" so much independent arithmetic that one warp can fill its scheduler, "chain" arithmetic of
// which each waits for the one before, so that four warps share a cycle's slot. Printed is when each warp of scheduler 0
// began and ended it, by the number of its block (in the order in which they came to this SM) and its warp there. In
// turns all would end together; oldest first the lowest numbers would, youngest first the highest.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Stamp {
  long long came, begin, end;
  int sm, place;
};

template <bool chain>
__global__ void text(Stamp* out, float* sums, long long* start) {
  long long came = clock64();
  int sm, place;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  // The first warp of the SM says when.
  if (threadIdx.x % 32 == 0) atomicMin(reinterpret_cast<unsigned long long*>(start + sm), static_cast<unsigned long long>(came + 60000));
  __syncwarp();
  while (clock64() - came < 30000) {
  }
  const long long at = *reinterpret_cast<volatile long long*>(start + sm);
  while (clock64() < at) {
  }
  const long long begin = clock64();
#pragma unroll
  for (int k = 0; k < 64; ++k) {
    if (chain)
      a = a * 0.5f + 1, a = a * 0.25f + 1, a = a * 0.5f + 1, a = a * 0.25f + 1;
    else
      a = a * 0.5f + 1, b = b * 0.5f + 1, c = c * 0.5f + 1, d = d * 0.5f + 1;
  }
  if (a + b + c + d == -1) sums[threadIdx.x] = a;
  const long long end = clock64();
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {came, begin, end, sm, place};
}

template <bool chain>
void read(int warps, int places, int sms) {
  Stamp* stamps;
  float* sums;
  long long* start;
  const int blocks = sms * places;
  cudaMalloc(&stamps, sizeof(Stamp) * blocks * warps);
  cudaMalloc(&sums, 4096);
  cudaMalloc(&start, 8 * 1024);
  for (int k = 0; k < 3; ++k) {
    cudaMemset(start, 0x7f, 8 * 1024);
    text<chain><<<blocks, 32 * warps>>>(stamps, sums, start);
    cudaDeviceSynchronize();
  }
  std::vector<Stamp> all(static_cast<size_t>(blocks) * warps);
  cudaMemcpy(all.data(), stamps, all.size() * sizeof(Stamp), cudaMemcpyDeviceToHost);
  const int sm = all[0].sm;
  struct Line {
    long long came, begin, end;
    int block, warp, place;
  };
  std::vector<Line> lines;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].sm == sm && all[i].place % 4 == 0) lines.push_back({all[i].came, all[i].begin, all[i].end, int(i) / warps, int(i) % warps, all[i].place});
  long long first = lines[0].begin, came = lines[0].came;
  for (const Line& l : lines) first = std::min(first, l.begin), came = std::min(came, l.came);
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.end < b.end; });
  std::printf("%s, %d blocks of %d warps: in the order of their ends, block/warp@place came begin-end:", chain ? "chain" : "alone", places, warps);
  for (const Line& l : lines) std::printf(" %d/%d@%d %lld %lld-%lld", l.block, l.warp, l.place, l.came - came, l.begin - first, l.end - first);
  std::printf("\n");
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("%s\n", p.name);
  for (auto [warps, places] : {std::pair{16, 1}, {32, 1}, {4, 8}, {8, 4}, {16, 2}, {32, 2}}) {
    read<false>(warps, places, p.multiProcessorCount);
    read<true>(warps, places, p.multiProcessorCount);
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
