// Sums and scans in the ways they are taught and used.
#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void reduce_interleaved(const int* in, int* out, int n) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}

__global__ void reduce_sequential(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

template <typename T, int kBlock>
__device__ T warp_reduce(T v) {
#pragma unroll
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  return v;
}
template <typename T, int kBlock>
__global__ void reduce_shuffle(const T* in, T* out, int n) {
  __shared__ T part[kBlock / 32];
  int i = blockIdx.x * kBlock + threadIdx.x;
  T v = i < n ? in[i] : T(0);
  v = warp_reduce<T, kBlock>(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < kBlock / 32 ? part[threadIdx.x] : T(0);
    v = warp_reduce<T, kBlock>(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
template __global__ void reduce_shuffle<int, 128>(const int*, int*, int);
template __global__ void reduce_shuffle<double, 64>(const double*, double*, int);
template __global__ void reduce_shuffle<long long, 256>(const long long*, long long*, int);

__global__ void reduce_cg(const int* in, int* out, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  int v = i < n ? in[i] : 0;
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int high = cg::reduce(tile, v, cg::greater<int>());
  if (tile.thread_rank() == 0) {
    atomicAdd(&out[0], sum);
    atomicMax(&out[1], high);
  }
}

__global__ void scan_hillis(const int* in, int* out, int n) {
  __shared__ int s[2][256];
  int t = threadIdx.x, p = 0;
  s[0][t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    p = 1 - p;
    s[p][t] = t >= k ? s[1 - p][t] + s[1 - p][t - k] : s[1 - p][t];
    __syncthreads();
  }
  if (t < n) out[t] = s[p][t];
}

__global__ void scan_blelloch(int* data) {
  __shared__ int s[512];
  int t = threadIdx.x, offset = 1;
  s[2 * t] = data[2 * t];
  s[2 * t + 1] = data[2 * t + 1];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int x = s[a];
      s[a] = s[b];
      s[b] += x;
    }
  }
  __syncthreads();
  data[2 * t] = s[2 * t];
  data[2 * t + 1] = s[2 * t + 1];
}

__global__ void scan_warp_cg(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = threadIdx.x;
  out[i] = cg::inclusive_scan(tile, in[i]);
}

__global__ void compact_ballot(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned votes = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(~0u, base, 0);
  if (keep) atomicAdd(&out[in[i] % 64], base >= 0 ? 1 : 0);
}

__global__ void count_any_all(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int c = __syncthreads_count(v & 1);
  int a = __syncthreads_and(v < 100);
  int o = __syncthreads_or(v == 42);
  if (threadIdx.x == 0) out[blockIdx.x] = c * 4 + (a != 0) * 2 + (o != 0);
}

__global__ void argmax_packed(const float* in, unsigned long long* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bits = __float_as_uint(in[i]);
  bits = (bits & 0x80000000u) ? ~bits : bits | 0x80000000u;
  atomicMax(best, ((unsigned long long)bits << 32) | (unsigned)i);
}

__global__ void redux_warp(const unsigned* in, unsigned* out) {
  unsigned v = in[threadIdx.x];
  out[0] = __reduce_add_sync(~0u, v);
  out[1] = __reduce_min_sync(~0u, v);
  out[2] = __reduce_max_sync(~0u, v);
  out[3] = __reduce_xor_sync(~0u, v);
}
#else
#include <algorithm>

SAMPLE(reduce_interleaved, {.grid = {4}, .block = {256}, .shared = 1024,
                            .arguments = {integers(1000, 1, 1000), zeros<int>(1), value(1000)}}) {
  for (int i = 0; i < 1000; ++i) data.ints(1)[0] += data.ints(0)[i];
}
SAMPLE(reduce_sequential, {.grid = {3}, .block = {256},
                           .arguments = {floats(5000, 2), zeros<float>(3), value(5000)}, .tolerance = 1e-4}) {
  for (int i = 0; i < 5000; ++i) data.floats(1)[i / 256 % 3] += data.floats(0)[i];
}
SAMPLE_AS(shuffle_int, "reduce_shuffle<int, 128>", {.grid = {8}, .block = {128},
                           .arguments = {integers(1000, 3, 1000), zeros<int>(8), value(1000)}}) {
  for (int i = 0; i < 1000; ++i) data.ints(1)[i / 128] += data.ints(0)[i];
}
SAMPLE_AS(shuffle_double, "reduce_shuffle<double, 64>", {.grid = {4}, .block = {64},
                              .arguments = {doubles(250, 4), zeros<double>(4), value(250)}, .tolerance = 1e-12}) {
  for (int i = 0; i < 250; ++i) data.doubles(1)[i / 64] += data.doubles(0)[i];
}
SAMPLE_AS(shuffle_long, "reduce_shuffle<long long, 256>", {.grid = {2}, .block = {256},
              .arguments = {integers<long long>(500, 5, 1ull << 60), zeros<long long>(2), value(500)}}) {
  for (int i = 0; i < 500; ++i)
    data.as<unsigned long long>(1)[i / 256] += data.as<unsigned long long>(0)[i];
}
SAMPLE(reduce_cg, {.grid = {4}, .block = {64}, .arguments = {integers(200, 6, 5000), zeros<int>(2), value(200)}}) {
  for (int i = 0; i < 200; ++i) {
    data.ints(1)[0] += data.ints(0)[i];
    data.ints(1)[1] = std::max(data.ints(1)[1], data.ints(0)[i]);
  }
}
SAMPLE(scan_hillis, {.block = {256}, .arguments = {integers(200, 7, 100), zeros<int>(200), value(200)}}) {
  for (int i = 0, sum = 0; i < 200; ++i) data.ints(1)[i] = sum += data.ints(0)[i];
}
SAMPLE(scan_blelloch, {.block = {256}, .arguments = {integers(512, 8, 100)}}) {
  for (int i = 0, sum = 0; i < 512; ++i) {
    const int x = data.ints(0)[i];
    data.ints(0)[i] = sum;
    sum += x;
  }
}
SAMPLE(scan_warp_cg, {.block = {64}, .arguments = {integers(64, 9, 100), zeros<int>(64)}}) {
  for (int i = 0, sum = 0; i < 64; ++i) {
    if (i == 32) sum = 0;
    data.ints(1)[i] = sum += data.ints(0)[i];
  }
}
SAMPLE(compact_ballot, {.grid = {4}, .block = {128},
                        .arguments = {integers(500, 10, 1000), zeros<int>(64), zeros<int>(1), value(500)}}) {
  for (int i = 0; i < 500; ++i) {
    const int x = data.ints(0)[i];
    if (x % 3 != 0) continue;
    ++data.ints(1)[x % 64];
    ++data.ints(2)[0];
  }
}
SAMPLE(count_any_all, {.grid = {4}, .block = {96}, .arguments = {integers(300, 11, 101), zeros<int>(4), value(300)}}) {
  for (int b = 0; b < 4; ++b) {
    int count = 0, all = 1, any = 0;
    for (int i = b * 96; i < (b + 1) * 96; ++i) {
      const int v = i < 300 ? data.ints(0)[i] : 0;
      count += v & 1;
      all &= v < 100;
      any |= v == 42;
    }
    data.ints(1)[b] = count * 4 + all * 2 + any;
  }
}
SAMPLE(argmax_packed, {.grid = {4}, .block = {256}, .arguments = {floats(900, 12), zeros<unsigned long long>(1), value(900)}}) {
  int best = 0;
  for (int i = 1; i < 900; ++i)
    if (data.floats(0)[i] >= data.floats(0)[best]) best = i;
  const unsigned bits = data.words(0)[best];
  data.as<unsigned long long>(1)[0] =
      static_cast<unsigned long long>(bits & 0x80000000u ? ~bits : bits | 0x80000000u) << 32 | static_cast<unsigned>(best);
}
SAMPLE(redux_warp, {.block = {32}, .arguments = {integers<unsigned>(32, 13, 1ull << 32), zeros<unsigned>(4)}}) {
  unsigned* out = data.words(1);
  out[1] = ~0u;
  for (int i = 0; i < 32; ++i) {
    const unsigned v = data.words(0)[i];
    out[0] += v;
    out[1] = std::min(out[1], v);
    out[2] = std::max(out[2], v);
    out[3] ^= v;
  }
}
#endif
