// How long memory takes to answer when it has more or less to do: so many warps an SM, each with one access under way.
//
//   nvcc -arch=sm_90 -std=c++17 -O3 tools/golden/loaded.cu -o loaded && ./loaded
//
// Each warp reads a line, waits for it, reads the next one; warps and turns go through the array in a row, past L1. Of
// the array only the first MiB are used where L2 is to answer. A copy also stores what it has read elsewhere. Cycles are
// those of a turn (its instructions are few), TB/s what all SMs moved in that time by the clock between events.
#include <algorithm>
#include <cstdio>

enum Way { Read, Copy };

template <int way, class Value>
__global__ void chase(const Value* in, Value* out, std::size_t mask, int turns, long long* took) {
  const std::size_t warps = std::size_t{gridDim.x} * blockDim.x / 32;
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  int zero = 0;
  const long long begin = clock64();
  for (int turn = 0; turn < turns; ++turn) {
    const std::size_t at = ((turn * warps + warp) * 32 + lane + zero) & mask;
    const Value v = __ldcg(in + at);
    zero = reinterpret_cast<const int&>(v);  // all of them are
    if (way == Copy) __stcg(out + at, v);
  }
  const long long end = clock64();
  if (zero == 12345) out[0] = Value{};
  if (lane == 0) took[warp] = end - begin;
}

template <int way, class Value>
void sweep(const char* name, std::size_t bytes, void* in, void* out, long long* took, int sms) {
  static long long all[132 * 64 * 2];
  for (int warps : {1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64}) {
    const int per_block = warps > 32 ? warps / 2 : warps, blocks = warps > 32 ? 2 * sms : sms;
    const int turns = 1024;
    cudaEvent_t from, to;
    cudaEventCreate(&from), cudaEventCreate(&to);
    float best = 1e9f, ms = 0;
    for (int k = 0; k < 3; ++k) {
      cudaEventRecord(from);
      chase<way, Value><<<blocks, 32 * per_block>>>(static_cast<const Value*>(in), static_cast<Value*>(out), bytes / sizeof(Value) - 1, turns, took);
      cudaEventRecord(to);
      cudaEventSynchronize(to);
      cudaEventElapsedTime(&ms, from, to);
      best = std::min(best, ms);
    }
    const int count = blocks * per_block;
    cudaMemcpy(all, took, count * sizeof(long long), cudaMemcpyDeviceToHost);
    double mean = 0;
    for (int w = 0; w < count; ++w) mean += double(all[w]) / count / turns;
    const double moved = double(count) * 32 * sizeof(Value) * turns * (way == Copy ? 2 : 1);
    std::printf("%s, %2d bytes a lane, %2d warps an SM: %6.0f cycles a turn, %.2f TB/s\n", name, int(sizeof(Value)), warps, mean, moved / (1e9 * best));
  }
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::puts(properties.name);
  const std::size_t bytes = std::size_t{1} << 32;
  void *in, *out;
  long long* took;
  cudaMalloc(&in, bytes), cudaMalloc(&out, bytes), cudaMalloc(&took, 1 << 20);
  cudaMemset(in, 0, bytes);
  const int sms = properties.multiProcessorCount;
  const std::size_t small = std::size_t{8} << 20;
  sweep<Read, int>("DRAM read", bytes, in, out, took, sms);
  sweep<Read, int4>("DRAM read", bytes, in, out, took, sms);
  sweep<Copy, int>("DRAM copied", bytes, in, out, took, sms);
  sweep<Copy, int4>("DRAM copied", bytes, in, out, took, sms);
  sweep<Read, int>("L2 read", small, in, out, took, sms);
  sweep<Read, int4>("L2 read", small, in, out, took, sms);
  sweep<Copy, int>("L2 copied", small, in, out, took, sms);
  sweep<Copy, int4>("L2 copied", small, in, out, took, sms);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
