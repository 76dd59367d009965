// What the models' constants of DRAM, atomics and tables in constant memory were read from, on a GPU with nobody else
// on it:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o memory tools/golden/memory.cu && ./memory
//
// DRAM: buffers of so many MiB read, written or copied behind an L2 full of changed lines (as `warplens time` leaves
// it), behind one of unchanged lines, and again right after. Atomics: a warp's lanes on so many addresses of so many
// lines, all warps on the same ones or each on its own. Tables: a warp's lanes on so many different entries.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    if (const cudaError_t e = (call); e != cudaSuccess) {                             \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      return 1;                                                                       \
    }                                                                                 \
  } while (false)

enum class Way { Read, Write, Copy };

template <Way way>
__global__ void pass(float4* data, std::size_t count) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0;
#pragma unroll 4
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    if constexpr (way == Way::Read) {
      sum += data[i].x;
    } else if constexpr (way == Way::Copy) {
      data[count + i] = data[i];
    } else {
      data[i] = float4{1, 2, 3, 4};
    }
  }
  if (way == Way::Read && sum == 1.25f) data[0] = float4{};
}

__global__ void dirty(float4* data, std::size_t count, float value) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    data[i] = float4{value, value, value, value};
}

__global__ void clean(const float4* data, std::size_t count, float* out) {
  float sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    sum += data[i].x;
  if (sum == 1.25f) *out = sum;
}

__global__ void nothing() {}

constexpr std::size_t kFlush = std::size_t{512} << 20;
enum class Before { Nothing, Dirty, Clean, DirtyAndWait };

struct Clock {
  cudaEvent_t from, to;
  float4* large = nullptr;
  template <class Launch>
  float median(Before before, const Launch& launch) {
    std::vector<float> all;
    for (int round = 0; round < 9; ++round) {
      if (before == Before::Dirty || before == Before::DirtyAndWait)
        dirty<<<1056, 256>>>(large, kFlush / sizeof(float4), static_cast<float>(round));
      if (before == Before::Clean) clean<<<1056, 256>>>(large, kFlush / sizeof(float4), reinterpret_cast<float*>(large));
      if (before == Before::DirtyAndWait) {
        cudaDeviceSynchronize();
        for (int i = 0; i < 400; ++i) nothing<<<1, 1>>>();
      }
      cudaEventRecord(from);
      launch();
      cudaEventRecord(to);
      cudaEventSynchronize(to);
      float ms = 0;
      cudaEventElapsedTime(&ms, from, to);
      all.push_back(ms * 1000);
    }
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  }
};

template <Way way>
void time_pass(Clock& clock, float4* data, const char* name) {
  for (const int kib : {256, 512, 1024, 2048, 4096, 8192, 16384, 24576, 32768, 49152, 65536, 98304, 131072, 262144, 524288}) {
    const std::size_t count = (std::size_t{static_cast<unsigned>(kib)} << 10) / sizeof(float4);
    const unsigned blocks = static_cast<unsigned>(std::min<std::size_t>(4224, (count + 255) / 256));
    const auto launch = [&] { pass<way><<<blocks, 256>>>(data, count); };
    std::printf("%-5s %6d KiB: behind changed lines %9.2f, changed and idle %9.2f, unchanged %9.2f, again %9.2f us\n", name, kib,
                clock.median(Before::Dirty, launch), clock.median(Before::DirtyAndWait, launch),
                clock.median(Before::Clean, launch), clock.median(Before::Nothing, launch));
  }
}

// Each warp's lanes on `addresses` different places, spread over `lines` lines of 128 bytes; warps on one and the same
// pool of lines of `pool` lines in all.
template <class Value, bool returned>
__global__ void atomics(Value* data, Value* out, int addresses, int lines, int pool, int turns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  constexpr unsigned per_line = 128 / sizeof(Value);
  const unsigned which = lane % addresses;
  const unsigned line = which % lines, place = which / lines % per_line;
  Value sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    Value* const at = data + ((warp * lines + turn * 7 * lines + line) % pool) * per_line + place;
    if constexpr (returned)
      sum += atomicAdd(at, Value(1));
    else
      atomicAdd(at, Value(1));
  }
  if (returned && sum == Value(12345)) *out = sum;
}

struct Shape {
  int addresses, lines;
};

template <class Value, bool returned>
void time_atomics(Clock& clock, float4* data, const char* name) {
  Value* const at = reinterpret_cast<Value*>(data);
  const std::vector<Shape> shapes = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {32, 1}, {32, 2}, {32, 8}};
  for (const Shape& shape : shapes)
    for (const int pool : std::vector<int>{shape.lines, 4 * shape.lines, 256, 32768}) {
      if (shape.addresses / shape.lines > int(128 / sizeof(Value)) || pool < shape.lines) continue;
      const auto launch = [&](int turns) {
        return clock.median(Before::Nothing, [&] {
          atomics<Value, returned><<<528, 256>>>(at, at + (1 << 24), shape.addresses, shape.lines, pool, turns);
        });
      };
      const float few = launch(2), many = launch(10);
      const double warps = 528.0 * 8 * 8;
      std::printf("%-14s %2d addresses of %2d lines a warp, %5d lines in all: %8.3f ns a warp's atomic (all SMs), %8.2f us\n",
                  name, shape.addresses, shape.lines, pool, (many - few) * 1e3 / warps, many);
    }
}

// Compare-and-swap until it succeeds, as atomics that the hardware lacks are written.
__global__ void swaps(unsigned* data, int addresses, int turns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  for (int turn = 0; turn < turns; ++turn) {
    unsigned* const at = data + ((warp * 32 + lane + turn) % addresses) * 32;
    unsigned old = *at, assumed;
    do {
      assumed = old;
      old = atomicCAS(at, assumed, assumed + 1);
    } while (old != assumed);
  }
}

__constant__ unsigned table[16384];

__global__ void lookups(unsigned* out, int different, int stride, int turns) {
  unsigned at = threadIdx.x % 32 % different * stride;
  const long long from = clock64();
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll 8
    for (int i = 0; i < 8; ++i) at += table[at % 16384];
  }
  const long long took = clock64() - from;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = static_cast<unsigned>(took);
  if (at == 0x12345678u) out[1] = 1;
}

void time_lookups(unsigned* out) {
  for (const int warps : std::vector<int>{1, 4, 16})
    for (const int stride : std::vector<int>{1, 16, 64})
      for (const int different : std::vector<int>{1, 2, 4, 8, 16, 32}) {
        unsigned few = 0, many = 0;
        for (int round = 0; round < 3; ++round)
          for (const int turns : std::vector<int>{8, 40}) {
            lookups<<<1, 32 * warps>>>(out, different, stride, turns);
            unsigned took = 0;
            cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost);
            (turns == 8 ? few : many) = took;
          }
        std::printf("table, one after the other, %2d warps, %2d entries %3d bytes apart: %7.2f cycles a lookup of a warp\n",
                    warps, different, 4 * stride, (many - few) / 256.0);
      }
}

// What a fence waits for: `others` warps a block store all the time, the first one fences.
__global__ void fences(float* data, unsigned* out, int stores, bool others) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const long long from = clock64();
  for (int turn = 0; turn < 16; ++turn) {
    if (others || threadIdx.x < 32)
      for (int s = 0; s < stores; ++s) __stcg(data + (thread + (turn * stores + s) * threads) % (1 << 22), 1.0f);
    __threadfence();
  }
  const long long took = clock64() - from;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = static_cast<unsigned>(took);
}

int main() {
  cudaDeviceProp about{};
  CHECK(cudaGetDeviceProperties(&about, 0));
  std::printf("%s, L2 of %d MiB\n", about.name, about.l2CacheSize >> 20);
  Clock clock;
  CHECK(cudaEventCreate(&clock.from));
  CHECK(cudaEventCreate(&clock.to));
  CHECK(cudaMalloc(&clock.large, kFlush));
  CHECK(cudaMemset(clock.large, 0, kFlush));
  float4* data = nullptr;
  CHECK(cudaMalloc(&data, std::size_t{1025} << 20));
  CHECK(cudaMemset(data, 0, std::size_t{1025} << 20));
  std::printf("an empty kernel: %.2f us\n", clock.median(Before::Nothing, [] { nothing<<<1, 32>>>(); }));
  time_pass<Way::Read>(clock, data, "read");
  time_pass<Way::Write>(clock, data, "write");
  time_pass<Way::Copy>(clock, data, "copy");
  time_atomics<unsigned, false>(clock, data, "red u32");
  time_atomics<unsigned, true>(clock, data, "atom u32");
  time_atomics<float, false>(clock, data, "red f32");
  time_atomics<double, false>(clock, data, "red f64");
  for (const int addresses : {1, 4, 32, 256, 4096, 65536, 1048576})
    for (const int blocks : {1, 16, 132, 528}) {
      const float took = clock.median(Before::Nothing, [&] { swaps<<<blocks, 256>>>(reinterpret_cast<unsigned*>(data), addresses, 4); });
      std::printf("compare-and-swap, %7d addresses, %3d blocks of 256, four each: %10.2f us\n", addresses, blocks, took);
    }
  unsigned* const out = reinterpret_cast<unsigned*>(data);
  time_lookups(out);
  for (const int blocks : {1, 132, 528, 2112})
    for (const int warps : {1, 8})
      for (const int stores : {0, 1, 4})
        for (const bool others : {false, true}) {
          fences<<<blocks, 32 * warps>>>(reinterpret_cast<float*>(data) + 4096, out, stores, others);
          unsigned took = 0;
          CHECK(cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost));
          std::printf("fence, %4d blocks of %d warps, %d stores before it by %s: %8.1f cycles\n", blocks, warps, stores,
                      others ? "all warps" : "the first warp", took / 16.0);
        }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
