// How many stores an SM takes before its warps have to wait for L2, and what that does to the blocks that follow.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/stores.cu -o stores && ./stores
//
// Depth: so many warps of an SM (one block each) store line after line, and note the clock behind each store. Of all
// stores of the SM in the order of their clocks: when the first, the second, the fourth ... was taken. As long as there
// is room they are taken as fast as they are issued, then as fast as L2 takes them: where the line bends is the room.
// Handover: blocks that only store and end, so many at once as shared memory leaves room for, 24 after each other in a
// place: from a block's last store to the begin of the next one in its place, and cycles a block in all.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

constexpr int kStores = 40;

__device__ int sm_of() {
  int v;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(v));
  return v;
}

// Of so many words each, lanes `apart` words from one another.
template <int words>
__global__ void depth(int* data, unsigned* stamps, int apart) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int* const at = data + static_cast<size_t>(warp) * kStores * 32 * apart + lane * apart;
  unsigned c[kStores];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kStores; ++k) {
    if (words == 1) asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k * 32 * apart), "r"(k) : "memory");
    if (words == 2) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(at + k * 32 * apart), "r"(k) : "memory");
    if (words == 4) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at + k * 32 * apart), "r"(k) : "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c[k])::"memory");
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < kStores; ++k) stamps[warp * kStores + k] = c[k];
  }
}

template <int words>
void depths(int* data, unsigned* stamps, int apart, int sms) {
  for (int blocks : {1, sms})
    for (int warps : {1, 4, 8, 16, 32}) {
      const size_t each = static_cast<size_t>(warps) * kStores;
      std::vector<double> taken(each);
      constexpr int kTurns = 5;  // the first brings the text
      for (int turn = 0; turn < kTurns; ++turn) {
        depth<words><<<blocks, 32 * warps>>>(data, stamps, apart);
        std::vector<unsigned> all(blocks * each);
        if (cudaMemcpy(all.data(), stamps, all.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) std::printf("failed\n");
        for (int b = 0; b < blocks && turn > 0; ++b) {
          const auto from = all.begin() + b * each;
          const unsigned first = *std::min_element(from, from + each, [](unsigned x, unsigned y) { return static_cast<int>(x - y) < 0; });
          for (size_t k = 0; k < each; ++k) from[k] -= first;
          std::sort(from, from + each);
          for (size_t k = 0; k < each; ++k) taken[k] += double(from[k]) / blocks / (kTurns - 1);
        }
      }
      std::printf("depth %2d warps, %d words a lane, lanes %2d words apart, %3d SMs: store taken at cycle", warps, words, apart, blocks);
      for (size_t k = 1; k <= each; k = k < 8 ? k * 2 : k * 9 / 8) std::printf(" %zu:%.0f", k, taken[k - 1]);
      std::printf(" %zu:%.0f\n", each, taken[each - 1]);
    }
}

struct Stamp {
  long long begin, issued;
  int sm, block;
};

template <int stores>
__global__ void handover(int* data, Stamp* stamps) {
  extern __shared__ int unused[];
  long long begin, issued;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
  const size_t warp = (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int* const at = data + warp % 262144 * stores * 32 + lane;
#pragma unroll
  for (int k = 0; k < stores; ++k) asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k * 32), "r"(k) : "memory");
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(issued)::"memory");
  if (lane == 0 && threadIdx.x + 32 >= blockDim.x) stamps[blockIdx.x] = {begin, issued, sm_of(), static_cast<int>(blockIdx.x)};
}

template <int stores>
void handovers(int* data, Stamp* stamps, int sms) {
  for (int warps : {4, 8, 16, 32})
    for (int places : {1, 2, 4, 8}) {
      if (warps * places > 64) continue;
      const int turns = 24, blocks = sms * places * turns;
      const int shared = std::min(227 * 1024 / places - 1024, 227 * 1024) / 128 * 128;
      cudaFuncSetAttribute(handover<stores>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
      cudaEvent_t from, to;
      cudaEventCreate(&from), cudaEventCreate(&to);
      float ms = 0;
      for (int k = 0; k < 3; ++k) {
        cudaEventRecord(from);
        handover<stores><<<blocks, 32 * warps, shared>>>(data, stamps);
        cudaEventRecord(to);
        cudaEventSynchronize(to);
        cudaEventElapsedTime(&ms, from, to);
      }
      std::vector<Stamp> all(blocks);
      cudaMemcpy(all.data(), stamps, all.size() * sizeof(Stamp), cudaMemcpyDeviceToHost);
      std::map<int, std::vector<Stamp>> of_sm;
      for (const Stamp& s : all) of_sm[s.sm].push_back(s);
      double cycles = 0, storing = 0, n = 0;
      for (auto& [sm, list] : of_sm) {
        std::sort(list.begin(), list.end(), [](const Stamp& a, const Stamp& b) { return a.begin < b.begin; });
        cycles += double(list.back().begin - list.front().begin) / (list.size() - 1) / sms;
        for (const Stamp& s : list) storing += double(s.issued - s.begin), ++n;
      }
      std::printf("handover %2d warps of %2d stores, %d at once: %7.1f cycles a block, %6.3f sectors a cycle; the last warp takes %7.1f until its last store; %.1f us in all\n", warps, stores, places,
                  cycles, 4.0 * warps * stores / cycles, storing / n, 1e3 * ms);
    }
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("%s\n", p.name);
  int* data;
  void* stamps;
  cudaMalloc(&data, size_t{4} << 30);
  cudaMalloc(&stamps, 64 << 20);
  unsigned* const clocks = static_cast<unsigned*>(stamps);
  depths<1>(data, clocks, 1, p.multiProcessorCount);
  depths<2>(data, clocks, 2, p.multiProcessorCount);
  depths<4>(data, clocks, 4, p.multiProcessorCount);
  depths<1>(data, clocks, 2, p.multiProcessorCount);
  depths<1>(data, clocks, 8, p.multiProcessorCount);
  depths<4>(data, clocks, 8, p.multiProcessorCount);
  Stamp* of_blocks = static_cast<Stamp*>(stamps);
  handovers<1>(data, of_blocks, p.multiProcessorCount);
  handovers<2>(data, of_blocks, p.multiProcessorCount);
  handovers<4>(data, of_blocks, p.multiProcessorCount);
  handovers<8>(data, of_blocks, p.multiProcessorCount);
  handovers<16>(data, of_blocks, p.multiProcessorCount);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
