// How an SM takes the next block when one has ended, to which scheduler it gives a warp, and what a shuffle and a read
// of shared memory take of it.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/blocks.cu -o blocks && ./blocks
//
// Turnover: each block waits so many cycles on the clock, as many at once as shared memory leaves room for, twenty
// after each other in a place; the time from the first block's begin to the last one's, over the blocks between, less
// the wait, is what lies between two blocks of a place.
// Schedulers: of each block only the warps of a mask work (four chains of arithmetic, so that one warp can fill a
// scheduler); two warps that share a scheduler take twice as long as two that do not.
// Rates: the same instruction over and over by so many warps of an SM, one after the other or four independent ones.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

struct Stamp {
  long long begin, end;
  int sm, place;
};
__device__ int sm_of() {
  int v;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(v));
  return v;
}
__device__ int place_of() {
  int v;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(v));
  return v;
}

enum Kind { Waits, Reads, Writes };

template <int kind>
__global__ void waits(Stamp* out, int* data, int cycles) {
  const long long begin = clock64();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 == 0) out[i / 32] = {begin, 0, sm_of(), place_of()};
  int v = 0;
  if (kind == Reads) v = __ldcg(data + (i & 0xfffff));
  while (clock64() - begin < cycles) {
  }
  if (kind == Reads && v == 12345) data[i & 0xfffff] = v;
  if (kind == Writes) data[i & 0xfffff] = i;
}

__global__ void works(Stamp* out, float* sums, unsigned mask, int turns) {
  const int warp = threadIdx.x / 32;
  if (!(mask >> warp & 1)) return;
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  const long long begin = clock64();
#pragma unroll 8
  for (int k = 0; k < turns; ++k) {
    a = a * 0.5f + 1, b = b * 0.5f + 1, c = c * 0.5f + 1, d = d * 0.5f + 1;
  }
  if (a + b + c + d == -1) sums[threadIdx.x] = a;
  const long long end = clock64();
  const int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) out[w] = {begin, end, sm_of(), place_of()};
}

enum Op { ShuffleChain, ShuffleApart, ShuffleDown, LoadChain, LoadApart, LoadWide, ReduceChain };

template <int op>
__global__ void rate(long long* out, int turns, int zero) {
  __shared__ __align__(16) int cells[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) cells[i] = zero;
  __syncthreads();
  int a = threadIdx.x + zero, b = a + 1, c = a + 2, d = a + 3;
  const int at = threadIdx.x % 32;
  const long long begin = clock64();
#pragma unroll 4
  for (int k = 0; k < turns; ++k) {
    if (op == ShuffleChain) {
      a = __shfl_xor_sync(~0u, a, 1), a = __shfl_xor_sync(~0u, a, 2), a = __shfl_xor_sync(~0u, a, 4), a = __shfl_xor_sync(~0u, a, 8);
    } else if (op == ShuffleApart) {
      a = __shfl_xor_sync(~0u, a, 1), b = __shfl_xor_sync(~0u, b, 1), c = __shfl_xor_sync(~0u, c, 1), d = __shfl_xor_sync(~0u, d, 1);
    } else if (op == ShuffleDown) {
      a = __shfl_down_sync(~0u, a, 1), b = __shfl_down_sync(~0u, b, 2), c = __shfl_down_sync(~0u, c, 4), d = __shfl_down_sync(~0u, d, 8);
    } else if (op == LoadChain) {
      a = cells[at + a * zero], a = cells[at + a * zero], a = cells[at + a * zero], a = cells[at + a * zero];
    } else if (op == LoadApart) {
      asm volatile("{ld.volatile.shared.u32 %0, [%4];\n\tld.volatile.shared.u32 %1, [%4+128];\n\tld.volatile.shared.u32 %2, [%4+256];\n\tld.volatile.shared.u32 %3, [%4+384];}"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(static_cast<int>(__cvta_generic_to_shared(cells + at))));
    } else if (op == LoadWide) {
      asm volatile("{ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];}"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(static_cast<int>(__cvta_generic_to_shared(cells + 4 * at))));
    } else if (op == ReduceChain) {
      a = __reduce_add_sync(~0u, a), b = __reduce_add_sync(~0u, b), c = __reduce_add_sync(~0u, c), d = __reduce_add_sync(~0u, d);
    }
  }
  if (a + b + c + d == -77) cells[threadIdx.x] = a, out[1] = cells[7];
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = end - begin;
}

template <int kind>
void turnover(const char* name, Stamp* stamps, int* data, int sms) {
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (int places : {1, 2, 4, 8}) {
      if (warps * places > 64) continue;
      for (int cycles : {300, 1000, 3000, 10000}) {
        const int turns = 20, blocks = sms * places * turns;
        int shared = 227 * 1024 / places - 1024;
        shared = std::min(shared, 227 * 1024) / 128 * 128;
        cudaFuncSetAttribute(waits<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        for (int k = 0; k < 2; ++k) waits<kind><<<blocks, 32 * warps, shared>>>(stamps, data, cycles);
        std::vector<Stamp> all(blocks * warps);
        cudaMemcpy(all.data(), stamps, all.size() * sizeof(Stamp), cudaMemcpyDeviceToHost);
        // A block begins with its first warp. The blocks of each SM in the order of their begins.
        std::map<int, std::vector<long long>> begins;
        long long spread = 0;
        for (int b = 0; b < blocks; ++b) {
          long long first = all[b * warps].begin, last = first;
          for (int w = 0; w < warps; ++w) first = std::min(first, all[b * warps + w].begin), last = std::max(last, all[b * warps + w].begin);
          begins[all[b * warps].sm].push_back(first);
          spread += last - first;
        }
        std::vector<double> between;
        for (auto& [sm, list] : begins) {
          std::sort(list.begin(), list.end());
          for (size_t i = places; i < list.size(); ++i) between.push_back(double(list[i] - list[i - places]) - cycles);
        }
        std::sort(between.begin(), between.end());
        double mean = 0;
        for (double v : between) mean += v / between.size();
        std::printf("%s %2d warps, %d at once, %5d cycles: place free for mean %7.1f, 10 %% %6.0f, median %6.0f, 90 %% %6.0f; warps of a block begin within %lld\n", name, warps,
                    places, cycles, mean, between[between.size() / 10], between[between.size() / 2], between[between.size() * 9 / 10],
                    spread / blocks);
      }
    }
}

template <int op>
void rates(const char* name, long long* out, int sms) {
  std::printf("%s, cycles an instruction and SM at 1, 2, 4, 8, 16, 32 warps:", name);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    long long best = 1LL << 60;
    for (int k = 0; k < 5; ++k) {
      rate<op><<<sms, 32 * warps>>>(out, 1024, 0);
      long long took;
      cudaMemcpy(&took, out, sizeof took, cudaMemcpyDeviceToHost);
      best = std::min(best, took);
    }
    std::printf(" %.2f", double(best) / (1024.0 * (op == LoadWide ? 1 : 4) * warps));
  }
  std::puts("");
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::puts(properties.name);
  const int sms = properties.multiProcessorCount;
  Stamp* stamps;
  int* data;
  float* sums;
  long long* took;
  cudaMalloc(&stamps, sizeof(Stamp) << 20);
  cudaMalloc(&data, sizeof(int) << 20);
  cudaMalloc(&sums, 4096);
  cudaMalloc(&took, 64);
  cudaMemset(data, 0, sizeof(int) << 20);
  turnover<Waits>("waits", stamps, data, sms);
  turnover<Reads>("reads", stamps, data, sms);
  turnover<Writes>("writes", stamps, data, sms);
  for (int warps : {1, 2, 3, 4, 5, 6, 8, 16}) {
    const int blocks = sms * 24;
    for (int k = 0; k < 2; ++k) waits<Waits><<<blocks, 32 * warps>>>(stamps, data, 4000);
    std::vector<Stamp> all(blocks * warps);
    cudaMemcpy(all.data(), stamps, all.size() * sizeof(Stamp), cudaMemcpyDeviceToHost);
    // Which scheduler has a block's first warp, and whether those behind it follow in a row.
    int in_a_row = 0;
    for (int b = 0; b < blocks; ++b) {
      bool row = true;
      for (int w = 1; w < warps; ++w) row &= (all[b * warps + w].place - all[b * warps].place - w) % 4 == 0;
      in_a_row += row;
    }
    std::printf("schedulers: blocks of %d warps, of %d blocks %d have theirs in a row; first warps' places in the order of begins, SMs 0 and 5:", warps, blocks, in_a_row);
    for (int sm : {0, 5}) {
      std::vector<std::pair<long long, int>> order;
      for (int b = 0; b < blocks; ++b)
        if (all[b * warps].sm == sm) order.push_back({all[b * warps].begin, all[b * warps].place});
      std::sort(order.begin(), order.end());
      for (auto [begin, place] : order) std::printf(" %d", place);
      std::printf(" |");
    }
    std::puts("");
  }
  const int turns = 2048;
  for (int at_once : {1, 2, 8})
    for (unsigned mask : {0x01u, 0x03u, 0x05u, 0x09u, 0x11u, 0x0fu, 0x55u, 0x33u, 0x77u, 0xffu}) {
      const int blocks = sms * at_once;
      for (int k = 0; k < 2; ++k) works<<<blocks, 256>>>(stamps, sums, mask, turns);
      std::vector<Stamp> all(blocks * 8);
      cudaMemcpy(all.data(), stamps, all.size() * sizeof(Stamp), cudaMemcpyDeviceToHost);
      double cycles = 0;
      long long n = 0;
      std::map<int, std::pair<long long, long long>> of_sm;
      for (int w = 0; w < blocks * 8; ++w) {
        if (!(mask >> w % 8 & 1)) continue;
        cycles += double(all[w].end - all[w].begin);
        ++n;
        auto& [from, to] = of_sm.try_emplace(all[w].sm, all[w].begin, all[w].end).first->second;
        from = std::min(from, all[w].begin), to = std::max(to, all[w].end);
      }
      double whole = 0;
      for (auto& [sm, span] : of_sm) whole += double(span.second - span.first) / of_sm.size();
      std::printf("works: warps %02x of 8, %d blocks at once: a warp %.0f cycles, an SM %.0f; places of SM 0:", mask, at_once, cycles / n, whole);
      if (at_once < 8)
        for (int w = 0; w < blocks * 8; ++w)
          if (all[w].sm == 0 && (mask >> w % 8 & 1)) std::printf(" %d:%d", w / 8 / sms * 8 + w % 8, all[w].place);
      std::puts("");
    }
  // Blocks of half their warps, many after each other: the same number of working warps as blocks of four.
  for (unsigned mask : {0x55u, 0x33u, 0x0fu, 0xffu}) {
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    float ms = 0, best = 1e9f;
    for (int k = 0; k < 5; ++k) {
      cudaEventRecord(from);
      works<<<sms * 32, 256>>>(stamps, sums, mask, turns);
      cudaEventRecord(to);
      cudaEventSynchronize(to);
      cudaEventElapsedTime(&ms, from, to);
      best = std::min(best, ms);
    }
    std::printf("works: warps %02x of 8, 32 blocks an SM in all: %.1f us\n", mask, 1e3 * best);
  }
  rates<ShuffleChain>("shuffles in a chain", took, sms);
  rates<ShuffleApart>("four shuffles apart", took, sms);
  rates<ShuffleDown>("four shuffles down", took, sms);
  rates<ReduceChain>("four reductions", took, sms);
  rates<LoadChain>("shared loads in a chain", took, sms);
  rates<LoadApart>("four shared loads apart", took, sms);
  rates<LoadWide>("shared loads of 16 bytes", took, sms);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
