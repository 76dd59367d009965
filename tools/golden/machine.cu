// What the models' constants of instruction texts and of stores were read from, on a GPU with nobody else on it:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -o machine tools/golden/machine.cu && ./machine
//
// Texts: straight code of so many KiB, run by one warp or more a block, once or several times in a launch, behind
// an emptied L2 and behind a warm one. The difference between two counts of turns is the cost of a further turn.
// Stores: the same lines of a buffer that L2 holds, read past L1 or written, over and over by all SMs.

#include <algorithm>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    if (const cudaError_t e = (call); e != cudaSuccess) {                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      return 1;                                                                      \
    }                                                                                \
  } while (false)

// Four sums, so that no instruction waits for the one before it.
template <int Instructions>
__global__ void text(float* out, int turns) {
  float a = out[0], b = out[1], c = out[2], d = out[3];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < Instructions / 4; ++i)
      asm volatile(
          "fma.rn.f32 %0, %0, %0, %0;\n\tfma.rn.f32 %1, %1, %1, %1;\n\t"
          "fma.rn.f32 %2, %2, %2, %2;\n\tfma.rn.f32 %3, %3, %3, %3;"
          : "+f"(a), "+f"(b), "+f"(c), "+f"(d));
  }
  if (a + b + c + d == 1.25f) out[threadIdx.x] = a;
}

enum class Way { Read, Write, Copy };

// A warp's access is `Lines` lines: 4 bytes a lane in a row, 16 bytes a lane, or a lane to each sector.
template <Way way, int Stride, class Value>
__global__ void sweep(Value* data, std::size_t count, int turns) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = first; i * Stride < count; i += threads) {
      if constexpr (way == Way::Read) {
        const Value v = __ldcg(data + i * Stride);
        sum += reinterpret_cast<const float&>(v);
      } else if constexpr (way == Way::Copy) {
        const Value v = __ldcg(data + i * Stride);
        __stcg(data + count + i * Stride, v);
      } else {
        Value v{};
        reinterpret_cast<float&>(v) = static_cast<float>(turn);
        __stcg(data + i * Stride, v);
      }
    }
  if (way == Way::Read && sum == 1.25f) data[0] = Value{};
}

// One store a thread, to lines of the block's own (apart) or to the first ones, `turns` times.
__global__ void few_lines(float* data, int lines, int turns) {
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  for (int turn = 0; turn < turns; ++turn)
    __stcg(data + (warp + turn) % lines * 32 + threadIdx.x % 32, static_cast<float>(turn));
}

__global__ void flush(float4* data, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    if (data[i].x == 1.25f) data[i].y = 0;
}

constexpr std::size_t kFlush = std::size_t{512} << 20;

struct Clock {
  cudaEvent_t from, to;
  float4* large = nullptr;
  template <class Launch>
  float best(bool emptied, const Launch& launch) {
    float out = 1e30f;
    for (int round = 0; round < 7; ++round) {
      if (emptied) flush<<<1056, 256>>>(large, kFlush / sizeof(float4));
      cudaEventRecord(from);
      launch();
      cudaEventRecord(to);
      cudaEventSynchronize(to);
      float ms = 0;
      cudaEventElapsedTime(&ms, from, to);
      out = std::min(out, ms * 1000);
    }
    return out;
  }
};

template <int KiB>
void time_text(Clock& clock, float* data) {
  const auto kernel = text<KiB * 64>;
  for (const bool emptied : {false, true})
    for (const int blocks : {4, 132})
      for (const int warps : {1, 4, 16}) {
        std::printf("text %3d KiB, %3d blocks of %2d warps, %s:", KiB, blocks, warps, emptied ? "flushed" : "warm");
        for (const int turns : {1, 2, 4, 8})
          std::printf(" %9.2f", clock.best(emptied, [&] { kernel<<<blocks, 32 * warps>>>(data, turns); }));
        std::printf(" us\n");
      }
}

template <Way way, int Stride, class Value>
void time_sweep(Clock& clock, void* data, const char* name) {
  constexpr std::size_t bytes = std::size_t{way == Way::Copy ? 8 : 16} << 20;  // a copy has two buffers
  const std::size_t count = bytes / sizeof(Value);
  const auto launch = [&](int turns) {
    return clock.best(false, [&] { sweep<way, Stride><<<1056, 256>>>(static_cast<Value*>(data), count, turns); });
  };
  const float few = launch(4), many = launch(20);
  constexpr double apart = sizeof(Value) * Stride;  // bytes from a lane to the next
  const double sectors = static_cast<double>(count) / Stride * std::min(1.0, apart / 32);
  const double us = (many - few) / 16;
  std::printf("%-5s %-28s %8.2f us a turn, %7.1f sectors a ns, %6.2f TB/s of sectors\n",
              way == Way::Read ? "read" : way == Way::Write ? "write" : "copy", name, us, sectors / us / 1e3, sectors * 32 / us / 1e6);
}

void time_few_lines(Clock& clock, float* data) {
  for (const int blocks : {132, 1024, 4096, 16384})
    for (const int lines : {1, 2, 4, 16, 64, 1024, 131072}) {
      std::printf("%5d blocks of 2 warps store to %6d lines, flushed:", blocks, lines);
      for (const int turns : {0, 1, 2, 8})
        std::printf(" %9.2f", clock.best(true, [&] { few_lines<<<blocks, 64>>>(data, lines, turns); }));
      std::printf(" us\n");
    }
}

int main() {
  cudaDeviceProp about{};
  CHECK(cudaGetDeviceProperties(&about, 0));
  std::printf("%s\n", about.name);
  Clock clock;
  CHECK(cudaEventCreate(&clock.from));
  CHECK(cudaEventCreate(&clock.to));
  CHECK(cudaMalloc(&clock.large, kFlush));
  CHECK(cudaMemset(clock.large, 0, kFlush));
  float* data = nullptr;
  CHECK(cudaMalloc(&data, std::size_t{16} << 20));
  CHECK(cudaMemset(data, 0, std::size_t{16} << 20));
  time_text<1>(clock, data);
  time_text<8>(clock, data);
  time_text<16>(clock, data);
  time_text<24>(clock, data);
  time_text<32>(clock, data);
  time_text<48>(clock, data);
  time_text<64>(clock, data);
  time_text<96>(clock, data);
  time_text<120>(clock, data);
  time_text<136>(clock, data);
  time_text<160>(clock, data);
  time_text<256>(clock, data);
  time_sweep<Way::Read, 1, float>(clock, data, "4 bytes a lane");
  time_sweep<Way::Write, 1, float>(clock, data, "4 bytes a lane");
  time_sweep<Way::Copy, 1, float>(clock, data, "4 bytes a lane");
  time_sweep<Way::Read, 1, float4>(clock, data, "16 bytes a lane");
  time_sweep<Way::Write, 1, float4>(clock, data, "16 bytes a lane");
  time_sweep<Way::Copy, 1, float4>(clock, data, "16 bytes a lane");
  time_sweep<Way::Read, 8, float>(clock, data, "4 bytes, a sector each");
  time_sweep<Way::Write, 8, float>(clock, data, "4 bytes, a sector each");
  time_sweep<Way::Copy, 8, float>(clock, data, "4 bytes, a sector each");
  time_sweep<Way::Read, 2, float4>(clock, data, "16 bytes, a sector each");
  time_sweep<Way::Write, 2, float4>(clock, data, "16 bytes, a sector each");
  time_sweep<Way::Read, 32, float>(clock, data, "4 bytes, a line each");
  time_sweep<Way::Write, 32, float>(clock, data, "4 bytes, a line each");
  time_sweep<Way::Copy, 32, float>(clock, data, "4 bytes, a line each");
  time_few_lines(clock, data);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
