// What compute capability 9.0 brought: vector atomics, transfers that an mbarrier counts, bulk reductions.
#ifdef __CUDACC__
#include <cuda_fp16.h>
#define KERNEL extern "C" __global__ void

KERNEL vector_sums(float4* sums, float4* before, __half2* pairs) {
  before[threadIdx.x] = atomicAdd(sums, make_float4(1, 2, 3, threadIdx.x));
  atomicAdd((float2*)(sums + 1), make_float2(0.5f, -1));
  asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %1};" ::"l"(pairs), "r"(0x40003c00) : "memory");
}

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("{.reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1;}" ::"r"(barrier), "r"(bytes));
}
__device__ void wait(unsigned barrier) {
  asm volatile("{.reg .pred P; $W%=: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], 0; @!P bra $W%=;}" ::"r"(barrier) : "memory");
}

KERNEL stores_that_count(unsigned* out) {
  __shared__ unsigned s[64];
  __shared__ alignas(8) unsigned long long bar;
  unsigned b = shared_address(&bar);
  if (threadIdx.x == 0) expect(b, 256);
  __syncthreads();
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(shared_address(s + 2 * threadIdx.x)), "r"(threadIdx.x), "r"(threadIdx.x * 3), "r"(b) : "memory");
  wait(b);
  out[threadIdx.x] = s[63 - threadIdx.x];
}

KERNEL sums_that_count(unsigned* out) {
  __shared__ unsigned s[2];
  __shared__ alignas(8) unsigned long long bar;
  unsigned b = shared_address(&bar);
  if (threadIdx.x == 0) {
    s[0] = s[1] = 5;
    expect(b, 128);
  }
  __syncthreads();
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(shared_address(s + threadIdx.x % 2)), "r"(threadIdx.x), "r"(b) : "memory");
  wait(b);
  out[threadIdx.x] = s[threadIdx.x % 2];
}

KERNEL bulk_reduction(int* out) {
  __shared__ alignas(16) int s[64];
  s[threadIdx.x] = threadIdx.x * (blockIdx.x + 1);
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::"l"(out), "r"(shared_address(s)) : "memory");
}

struct alignas(16) Pair { unsigned long long a, b; };
KERNEL pairs_exchanged(Pair* p, Pair* seen) {
  const unsigned long long t = threadIdx.x;
  __shared__ Pair s;
  if (t == 0) s = Pair{0, 0};
  __syncthreads();
  seen[t] = atomicCAS(p, Pair{t, 2 * t}, Pair{t + 1, 2 * t + 2});
  seen[32 + t] = atomicExch(p + 1, Pair{t, ~t});
  seen[64 + t] = atomicCAS(&s, Pair{0, 0}, Pair{t + 1, 7});
}

#else

static Argument all_of(std::size_t count, std::uint16_t bits) {
  return buffer(std::vector<std::uint16_t>(count, bits));
}

SAMPLE(vector_sums, {.grid = {1}, .block = {16}, .arguments = {zeros<float>(8), zeros<float>(64), all_of(4, 0)}}) {
  float* sums = data.floats(0);
  for (int t = 0; t < 16; ++t) {
    const float added[4] = {1, 2, 3, static_cast<float>(t)};
    for (int k = 0; k < 4; ++k) {
      data.floats(1)[4 * t + k] = sums[k];
      sums[k] += added[k];
    }
  }
  sums[4] = 8;
  sums[5] = -16;
  for (int k = 0; k < 4; ++k) data.as<std::uint16_t>(2)[k] = to_half(k % 2 == 0 ? 16 : 32);
}

SAMPLE(stores_that_count, {.grid = {1}, .block = {32}, .arguments = {zeros<unsigned>(32)}}) {
  for (unsigned t = 0; t < 32; ++t) data.words(0)[t] = (63 - t) / 2 * (t % 2 == 0 ? 3 : 1);
}

SAMPLE(sums_that_count, {.grid = {1}, .block = {32}, .arguments = {zeros<unsigned>(32)}}) {
  for (unsigned t = 0; t < 32; ++t) data.words(0)[t] = t % 2 == 0 ? 245 : 261;
}

SAMPLE(pairs_exchanged, {.grid = {1}, .block = {32}, .arguments = {zeros<std::uint64_t>(4), zeros<std::uint64_t>(192)}}) {
  std::uint64_t *p = data.as<std::uint64_t>(0), *seen = data.as<std::uint64_t>(1);
  for (std::uint64_t t = 0; t < 32; ++t) {
    seen[2 * t] = t;
    seen[2 * t + 1] = 2 * t;
    seen[64 + 2 * t] = t == 0 ? 0 : t - 1;
    seen[64 + 2 * t + 1] = t == 0 ? 0 : ~(t - 1);
    seen[128 + 2 * t] = t == 0 ? 0 : 1;
    seen[128 + 2 * t + 1] = t == 0 ? 0 : 7;
  }
  p[0] = 32, p[1] = 64, p[2] = 31, p[3] = ~std::uint64_t{31};
}

SAMPLE(bulk_reduction, {.grid = {3}, .block = {64}, .arguments = {integers(64, 1, 100)}}) {
  for (int i = 0; i < 64; ++i) data.ints(0)[i] += 6 * i;
}
#endif
