// What special registers and constants take on their way beside L1, and what keeps them there: how many an SM does at
// once, how long one takes while other warps keep the load/store unit busy, and what a table in constant memory costs
// the first time. Read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o aside tools/golden/aside.cu && ./aside > tests/models/golden/aside_h200.txt
// A line of the first part: what is issued, how many warps of an SM do it at once, cycles of the SM for one. Of the second:
// what a warp of each scheduler asks for, one after the other, what 28 other warps do meanwhile, cycles for one of them.
// Of the third: words between two reads of a table, cycles of each read. Then reads that meet a miss, and cycles of a turn
// in which a register is changed behind who reads it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

enum Op { kSpecial, kSpecialOfWarp, kTable, kTableByLane, kShuffle, kShared, kRoot, kOps };
constexpr const char* kNames[] = {"s2r", "s2ur", "ldc", "ldc, 32 words", "shfl", "lds", "rcp"};
enum Load { kNothing, kStores, kScatteredStores, kLoads, kScatteredLoads, kReductions, kLocal, kLoadsKinds };
constexpr const char* kLoadNames[] = {"nothing",         "coalesced stores", "scattered stores", "coalesced loads",
                                      "scattered loads", "reductions",       "local stores"};
__constant__ unsigned table[16000];

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
  return t;
}

template <int OP> __device__ __forceinline__ unsigned one(unsigned a, unsigned at) {
  unsigned r = a;
  float f;
  if constexpr (OP == kSpecial) asm volatile("mov.u32 %0,%%warpid;" : "=r"(r)::"memory");
  if constexpr (OP == kSpecialOfWarp) asm volatile("mov.u32 %0,%%smid;" : "=r"(r)::"memory");
  if constexpr (OP == kTable || OP == kTableByLane) r = table[a];
  if constexpr (OP == kShuffle) asm volatile("shfl.sync.bfly.b32 %0,%1,1,31,-1;" : "=r"(r) : "r"(a) : "memory");
  if constexpr (OP == kShared) asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(at) : "memory");
  if constexpr (OP == kRoot) {
    asm volatile("rcp.approx.ftz.f32 %0,%1;" : "=f"(f) : "f"(__uint_as_float(a)) : "memory");
    r = __float_as_uint(f);
  }
  return r;
}

// Eight at a time, of warps that begin together.
template <int OP> __global__ void __launch_bounds__(1024) together(unsigned* out, unsigned zero) {
  __shared__ unsigned words[1024];
  words[threadIdx.x] = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * 4;
  unsigned own = OP == kTableByLane ? threadIdx.x % 32 + zero : zero, sum = 0, begin = 0, end = 0;
  for (int turn = 0; turn < 2; ++turn) {  // the first one brings text and tables
    __syncthreads();
    begin = now();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      unsigned of[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) of[i] = one<OP>(own + 3 * i, at);
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += of[i];
      own += zero * (k + 1) * sum;
    }
    end = now() + (sum == 77 ? zero : 0);
  }
  if (threadIdx.x % 32 == 0) {
    out[threadIdx.x / 32 * 2] = begin;
    out[threadIdx.x / 32 * 2 + 1] = end;
  }
  if (sum == 0x12345678) out[100] = sum;
}

template <int OP> void throughput(unsigned* out) {
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    for (int again = 0; again < 2; ++again) together<OP><<<1, warps * 32>>>(out, 0);
    unsigned times[64];
    cudaMemcpy(times, out, sizeof times, cudaMemcpyDeviceToHost);
    unsigned begin = ~0u, end = 0;
    for (int w = 0; w < warps; ++w) begin = std::min(begin, times[2 * w]), end = std::max(end, times[2 * w + 1]);
    std::printf("%s: %d warps, %.2f cycles each, %.1f of a warp\n", kNames[OP], warps,
                (double)(end - begin) / (64.0 * warps), (double)(end - begin) / 64);
  }
}

// The first warp of each scheduler waits for one thing after the other, the rest keep something busy.
template <int OP> __global__ void __launch_bounds__(1024) beside(unsigned* out, unsigned* far, unsigned zero, int load) {
  __shared__ unsigned words[1024];
  __shared__ int done;
  words[threadIdx.x] = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * 4;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (warp < 4) {
    unsigned own = OP == kTableByLane ? lane + zero : zero, sum = 0, took = 0, most = 0;
    const unsigned until = now() + 4000;  // the others are at work by then
    while ((int)(now() - until) < 0) {
    }
    for (int k = 0; k < 64; ++k) {
      const unsigned begin = now();
      const unsigned got = one<OP>(own, at);
      sum += got;
      const unsigned t = now() + (sum == 77 ? zero : 0) - begin;
      took += t;
      most = max(most, t);
      own += zero * sum;
    }
    if (lane == 0) {
      out[(blockIdx.x * 4 + warp) * 2] = took / 64;
      out[(blockIdx.x * 4 + warp) * 2 + 1] = most;
    }
    if (sum == 0x12345678) out[4000] = sum;
    if (lane == 0) atomicAdd(&done, 1);
    return;
  }
  volatile unsigned local[64];
  unsigned sum = 0, place = (blockIdx.x * 32 + warp) * 4096u;
  for (int k = 0; k < 100000 && *(volatile int*)&done < 4; ++k) {
#pragma unroll 1
    for (int u = 0; u < 16; ++u) {
      place = (place + 32 * 1024u) & (16u * 1024 * 1024 - 1);
      if (load == kStores) far[place + lane] = u;
      if (load == kScatteredStores) far[(place + lane * 8) & (16u * 1024 * 1024 - 1)] = u;
      if (load == kLoads) sum += __ldcg(far + place + lane);
      if (load == kScatteredLoads) sum += __ldcg(far + ((place + lane * 8) & (16u * 1024 * 1024 - 1)));
      if (load == kReductions) atomicAdd(far + place + lane, u);
      if (load == kLocal) local[(u + lane) % 64] = u;
      if (load == kNothing) __nanosleep(100);
    }
  }
  if (load == kLocal) sum += local[zero];
  if (sum == 0x12345678) out[4001] = sum;
}

template <int OP> void latency(unsigned* out, unsigned* far) {
  for (int load = 0; load < kLoadsKinds; ++load) {
    beside<OP><<<132, 1024>>>(out, far, 0, load);
    std::vector<unsigned> times(132 * 8);
    cudaMemcpy(times.data(), out, times.size() * 4, cudaMemcpyDeviceToHost);
    double mean = 0;
    unsigned most = 0;
    for (std::size_t i = 0; i < times.size(); i += 2) mean += times[i], most = std::max(most, times[i + 1]);
    std::printf("%s beside %s: %.0f cycles, at most %u\n", kNames[OP], kLoadNames[load], mean / (132 * 4), most);
  }
}

// Of one warp of the SM, then of one on another scheduler: reads of a table that are some words apart.
__global__ void first_time(unsigned* out, unsigned zero, unsigned step) {
  const unsigned warp = threadIdx.x / 32;
  unsigned took[8], sum = 0;
  for (unsigned turn = 0; turn < 2; ++turn) {
    if (turn == warp) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const unsigned begin = now();
        sum += table[zero * sum + k * step];
        took[k] = now() + (sum == 77 ? zero : 0) - begin;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x % 32 == 0)
    for (int k = 0; k < 8; ++k) out[(blockIdx.x * 2 + warp) * 8 + k] = took[k];
  if (sum == 0x12345678) out[100000] = sum;
}

// A loop whose register is changed behind who reads it, and one that changes another: how long it is held.
enum Reader { kStoreShared, kStoreGlobal, kReduceShared, kReduceGlobal, kOtherShared, kOtherGlobal };

template <Reader READER> __global__ void held(unsigned* out, unsigned* far, unsigned b, int turns) {
  __shared__ unsigned words[4096];
  const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x * 4;
  unsigned* const mine = far + threadIdx.x;
  unsigned v = b, begin = 0, end = 0;
  for (int again = 0; again < 2; ++again) {
    __syncthreads();
    begin = now();
#pragma unroll 1
    for (int t = 0; t < turns; ++t) {
      const unsigned read = READER == kOtherShared || READER == kOtherGlobal ? b : v;
      if (READER == kStoreShared || READER == kOtherShared)
        asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(at), "r"(read) : "memory");
      if (READER == kStoreGlobal || READER == kOtherGlobal)
        asm volatile("st.volatile.global.u32 [%0],%1;" ::"l"(mine), "r"(read) : "memory");
      if (READER == kReduceShared) asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(at), "r"(read) : "memory");
      if (READER == kReduceGlobal) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(mine), "r"(read) : "memory");
      asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b));
    }
    end = now();
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = end - begin;
  if (v == 0x12345678) out[100] = words[v & 4095];
}

template <Reader READER> void how_long(const char* name, unsigned* out, unsigned* far) {
  for (int warps : {1, 4, 16, 32}) {
    held<READER><<<1, warps * 32>>>(out, far, 3, 64);
    unsigned took = 0;
    cudaMemcpy(&took, out, sizeof took, cudaMemcpyDeviceToHost);
    std::printf("held by %s: %d warps, %.1f cycles a turn\n", name, warps, took / 64.0);
  }
}

// One warp asks for a part of a table that is not there, one of the same scheduler and one of another a little later for
// one that is.
__global__ void behind_a_miss(unsigned* out, unsigned zero) {
  const unsigned warp = threadIdx.x / 32;
  unsigned sum = table[zero + 8];
  for (int k = 0; k < 4; ++k) {
    __syncthreads();
    if (warp == 4 || warp == 1)
      for (const unsigned until = now() + 40; (int)(now() - until) < 0;) {
      }
    const unsigned begin = now();
    if (warp == 0) sum += table[zero * sum + (k + 1) * 1024];
    if (warp == 4 || warp == 1) sum += table[zero * sum + 8];
    const unsigned took = now() + (sum == 77 ? zero : 0) - begin;
    if (threadIdx.x % 32 == 0) out[k * 8 + warp] = took;
  }
  if (sum == 0x12345678) out[100] = sum;
}

void misses(unsigned* out, unsigned* far) {
  cudaMemset(far, 1, 256 << 20);
  cudaDeviceSynchronize();
  behind_a_miss<<<1, 160>>>(out, 0);
  unsigned took[32];
  cudaMemcpy(took, out, sizeof took, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 4; ++k)
    std::printf("a table that misses: %u, behind it one that is there: the same scheduler %u, another %u\n", took[k * 8],
                took[k * 8 + 4], took[k * 8 + 1]);
}

void tables(unsigned* out, unsigned* far) {
  for (int blocks : {1, 132})
    for (unsigned step : {0u, 1u, 16u, 32u, 64u, 256u})
      for (bool cold : {true, false}) {
        first_time<<<blocks, 64>>>(out, 0, step);
        if (cold) cudaMemset(far, 1, 256 << 20);
        cudaDeviceSynchronize();
        first_time<<<blocks, 64>>>(out, 0, step);
        std::vector<unsigned> times(blocks * 16);
        cudaMemcpy(times.data(), out, times.size() * 4, cudaMemcpyDeviceToHost);
        std::printf("a table, %d SMs, %u words apart, %s:", blocks, step, cold ? "behind an emptied L2" : "again");
        for (int i = 0; i < 16; ++i) {
          double mean = 0;
          for (int b = 0; b < blocks; ++b) mean += times[b * 16 + i];
          std::printf(" %.0f", mean / blocks);
        }
        std::printf("\n");
      }
}

int main() {
  unsigned *out, *far;
  cudaMalloc(&out, 1 << 20);
  cudaMalloc(&far, 256 << 20);
  std::vector<unsigned> zeros(16000, 0);
  cudaMemcpyToSymbol(table, zeros.data(), zeros.size() * 4);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  std::printf("# %s\n", device.name);
  throughput<kSpecial>(out);
  throughput<kSpecialOfWarp>(out);
  throughput<kTable>(out);
  throughput<kTableByLane>(out);
  throughput<kShuffle>(out);
  throughput<kShared>(out);
  throughput<kRoot>(out);
  latency<kSpecial>(out, far);
  latency<kSpecialOfWarp>(out, far);
  latency<kTable>(out, far);
  latency<kShuffle>(out, far);
  latency<kShared>(out, far);
  latency<kRoot>(out, far);
  tables(out, far);
  misses(out, far);
  how_long<kStoreShared>("st.shared", out, far);
  how_long<kOtherShared>("st.shared, of another register", out, far);
  how_long<kStoreGlobal>("st.global", out, far);
  how_long<kOtherGlobal>("st.global, of another register", out, far);
  how_long<kReduceShared>("red.shared", out, far);
  how_long<kReduceGlobal>("red.global", out, far);
  std::printf("# %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
