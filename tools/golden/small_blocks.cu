// What a launch of many small blocks costs that do next to nothing: how often an SM is handed a block, and how long
// one that has ended stays.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/small_blocks.cu -o small_blocks
//   ./small_blocks                       every block's SM, first clock and last one, as intervals by SM
//   ncu --metrics ... ./small_blocks -   the launches alone, to be counted
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void nothing(int) {}
__global__ void compares(const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) const_cast<int*>(in)[i] = i;
}
struct Life {
  long long begin, end;
  int sm;
};
__global__ void logs(Life* out) {
  long long begin = clock64();
  if (threadIdx.x == 0) {
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    out[blockIdx.x] = {begin, clock64(), sm};
  }
}

int main(int argc, char**) {
  const int warps[] = {1, 2, 3, 4, 6, 8, 16}, grids[] = {1024, 3072, 8192, 16384, 32768, 65536};
  Life* lives;
  cudaMalloc(&lives, 65536 * sizeof(Life));
  for (int w : warps)
    for (int g : grids) {
      if (argc > 1) {
        nothing<<<g, 32 * w>>>(0);
        compares<<<g, 32 * w>>>(nullptr, 0);
        cudaDeviceSynchronize();
        continue;
      }
      cudaEvent_t from, to;
      cudaEventCreate(&from), cudaEventCreate(&to);
      float best[2] = {1e9f, 1e9f};
      for (int k = 0; k < 7; ++k)
        for (int kind = 0; kind < 2; ++kind) {
          cudaEventRecord(from);
          if (kind == 0) nothing<<<g, 32 * w>>>(0);
          else compares<<<g, 32 * w>>>(nullptr, 0);
          cudaEventRecord(to);
          cudaEventSynchronize(to);
          float ms;
          cudaEventElapsedTime(&ms, from, to);
          best[kind] = std::min(best[kind], ms);
        }
      for (int k = 0; k < 2; ++k) logs<<<g, 32 * w>>>(lives);
      std::vector<Life> all(g);
      cudaMemcpy(all.data(), lives, g * sizeof(Life), cudaMemcpyDeviceToHost);
      // Intervals between the blocks of one SM, of all SMs, in order of size.
      std::vector<long long> gaps;
      for (int sm = 0; sm < 256; ++sm) {
        std::vector<long long> begins;
        for (const Life& l : all)
          if (l.sm == sm) begins.push_back(l.begin);
        std::sort(begins.begin(), begins.end());
        for (size_t i = 1; i < begins.size(); ++i) gaps.push_back(begins[i] - begins[i - 1]);
      }
      std::sort(gaps.begin(), gaps.end());
      double mean = 0;
      for (long long v : gaps) mean += double(v) / gaps.size();
      std::printf("%2d warps, %5d blocks: nothing %7.2f us, compares %7.2f us; begins apart: mean %6.1f, 10 %% %4lld, median %4lld, 90 %% %5lld\n", w, g,
                  1e3 * best[0], 1e3 * best[1], mean, gaps[gaps.size() / 10], gaps[gaps.size() / 2], gaps[gaps.size() * 9 / 10]);
    }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
