// How many instructions a scheduler's queue to shared memory, to the special units and to L1 holds: when each of a row
// of independent ones was issued, by warp, as cycles behind the first. Read with
//   nvcc -arch=sm_90 -std=c++17 -o queue tools/golden/queue.cu && ./queue > tests/models/golden/queue_h100.txt
// Accesses are volatile, or ptxas would make one of all. A line: what is issued, which warps of the one block work, and
// for some of them the cycle of each issue. What takes less than the 40 cycles of a reading of the clock fills no queue.
#include <cstdio>
#include <cstdint>
#include <vector>

constexpr int kRow = 20;

enum Kind { kLoad, kWide, kStore, kShuffle, kRoot, kGlobal, kReduce, kAtomicShared };

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

template <Kind kind>
__device__ __forceinline__ void one(unsigned at, const char* global, unsigned& sink) {
  if constexpr (kind == kLoad) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(sink) : "r"(at) : "memory");
  } else if constexpr (kind == kWide) {
    unsigned b, c, d;
    asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(sink), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
  } else if constexpr (kind == kStore) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(at) : "memory");
  } else if constexpr (kind == kShuffle) {
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(sink) : "r"(at) : "memory");
  } else if constexpr (kind == kRoot) {
    float r;
    asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(__uint_as_float(at)) : "memory");
    sink = __float_as_uint(r);
  } else if constexpr (kind == kGlobal) {
    asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(sink) : "l"(global) : "memory");
  } else if constexpr (kind == kReduce) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(global) : "memory");
  } else {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
  }
}

// stride: bytes from lane to lane; warps: bit w says whether warp w works.
template <Kind kind>
__global__ void __launch_bounds__(1024) row(unsigned* out, char* global, unsigned stride, unsigned warps) {
  extern __shared__ unsigned shared[];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + lane * stride;
  const char* mine = global + lane * stride + warp * 65536;
  for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x) shared[i] = i;
  unsigned sinks[kRow], times[kRow + 1];
#pragma unroll
  for (int k = 0; k < kRow; ++k) sinks[k] = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the first one brings the text
    __syncthreads();
    if ((warps >> warp & 1) == 0) continue;
    times[0] = now();
#pragma unroll
    for (int k = 0; k < kRow; ++k) {
      one<kind>(base, mine, sinks[k]);
      times[k + 1] = now();
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kRow; ++k) sum += sinks[k];
  if (sum == 12345678) out[0] = sum;
  if (lane == 0 && (warps >> warp & 1) != 0)
#pragma unroll
    for (int k = 0; k <= kRow; ++k) out[1 + warp * (kRow + 1) + k] = times[k] - times[0];
}

template <Kind kind>
void read(const char* name, unsigned stride, unsigned* out, char* global) {
  struct Which {
    const char* name;
    unsigned warps;
  };
  for (const Which which : {Which{"one warp", 1}, Which{"two of one scheduler", 0x11}, Which{"four of one scheduler", 0x1111},
                            Which{"eight of one scheduler", 0x11111111}, Which{"one of each scheduler", 0xf},
                            Which{"four of each scheduler", 0xffff}, Which{"eight of each scheduler", 0xffffffff}}) {
    cudaMemset(out, 0, 65536);
    row<kind><<<1, 1024, 40000>>>(out, global, stride, which.warps);
    std::vector<unsigned> times(1 + 32 * (kRow + 1));
    if (cudaGetLastError() != cudaSuccess) std::printf("%s: not launched\n", name);
    if (cudaMemcpy(times.data(), out, times.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess) {
      std::printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
      return;
    }
    for (const unsigned warp : {0u, 4u, 28u}) {
      if ((which.warps >> warp & 1) == 0) continue;
      std::printf("%s, stride %u, %s, warp %u:", name, stride, which.name, warp);
      for (int k = 1; k <= kRow; ++k) std::printf(" %u", times[1 + warp * (kRow + 1) + k]);
      std::printf("\n");
    }
  }
}

int main() {
  cudaDeviceProp of;
  cudaGetDeviceProperties(&of, 0);
  std::printf("# %s, cycles behind the first clock; each reading of the clock costs some itself\n", of.name);
  unsigned* out;
  char* global;
  cudaMalloc(&out, 65536);
  cudaMalloc(&global, 64 << 20);
  cudaMemset(global, 0, 64 << 20);
  for (const unsigned stride : {4u, 32u, 128u}) read<kLoad>("ld.shared", stride, out, global);
  read<kWide>("ld.shared.v4", 16, out, global);
  read<kWide>("ld.shared.v4", 128, out, global);
  for (const unsigned stride : {4u, 128u}) read<kStore>("st.shared", stride, out, global);
  for (const unsigned stride : {4u, 128u}) read<kAtomicShared>("red.shared", stride, out, global);
  read<kShuffle>("shfl", 4, out, global);
  read<kRoot>("rsqrt", 4, out, global);
  for (const unsigned stride : {4u, 128u}) read<kGlobal>("ld.global", stride, out, global);
  for (const unsigned stride : {0u, 4u, 128u}) read<kReduce>("red.global", stride, out, global);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
