// How long L2 takes for atomics that are scattered: reductions, and atomics whose answer is wanted, of groups of lanes.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/scattered.cu -o scattered && ./scattered > tests/models/golden/scattered_h200.txt
//
// Lanes of a group add to words beside each other of a sector (of as many as they need) that is chosen at random of so
// many, or all to one word of it. A line: the fastest of six launches, and how many groups a launch has. Indexes cost
// some six microseconds of arithmetic, so groups of 32 lanes say nothing of L2.
#include <algorithm>
#include <cstdio>

#include <cuda_runtime.h>

__device__ __forceinline__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

constexpr int kTurns = 16, kBlocks = 528, kThreads = 256;

template <class T, bool answered>
__global__ void add(T* to, T* out, unsigned group, unsigned sectors, bool to_one_word) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = thread / 32;
  const unsigned words = 32 / sizeof(T), span = (group + words - 1) / words;  // of a sector; sectors of a group
  T sum = 0;
  for (int k = 0; k < kTurns; ++k) {
    const unsigned place = mixed(mixed(warp * 64 + k) + lane / group) % (sectors / span);
    T* const at = to + place * span * words + (to_one_word ? 0 : lane % group);
    if (answered)
      sum += atomicAdd(at, T(1));
    else
      atomicAdd(at, T(1));
  }
  if (answered && sum == T(-1)) out[0] = sum;
}

template <class T, bool answered>
void read(const char* name, void* data, void* out) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (const bool to_one_word : {false, true})
    for (const unsigned group : {1u, 2u, 4u, 8u, 32u})
      for (const unsigned sectors : {64u, 1024u, 8192u, 131072u, 1048576u}) {
        if (to_one_word ? group == 1 : sectors == 64 && group == 32) continue;
        float best = 1e9f;
        for (int k = 0; k < 6; ++k) {
          cudaEventRecord(begin);
          add<T, answered><<<kBlocks, kThreads>>>(static_cast<T*>(data), static_cast<T*>(out), group, sectors, to_one_word);
          cudaEventRecord(end);
          cudaEventSynchronize(end);
          float ms = 0;
          cudaEventElapsedTime(&ms, begin, end);
          best = std::min(best, ms);
        }
        std::printf("%s, groups of %u lanes %s, %u sectors: %.1f us for %d groups\n", name, group,
                    to_one_word ? "to one word" : "to words beside each other", sectors, best * 1000,
                    kTurns * kBlocks * kThreads / static_cast<int>(group));
      }
}

int main() {
  void *data = nullptr, *out = nullptr;
  cudaMalloc(&data, 256 << 20);
  cudaMalloc(&out, 4096);
  cudaMemset(data, 0, 256 << 20);
  read<int, false>("red.s32", data, out);
  read<float, false>("red.f32", data, out);
  read<unsigned long long, false>("red.u64", data, out);
  read<double, false>("red.f64", data, out);
  read<int, true>("atom.s32", data, out);
  read<float, true>("atom.f32", data, out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
