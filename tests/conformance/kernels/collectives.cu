// Reductions, scans, histograms, warp communication and cooperative groups in the forms that are passed around.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace cg = cooperative_groups;

// One thread of the block adds up.
__global__ void sum_one_thread(const int* in, int* out, int n) {
  extern __shared__ int cache[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cache[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int k = 0; k < blockDim.x; ++k) sum += cache[k];
    out[blockIdx.x] = sum;
  }
}

template <typename T>
__global__ void sum_grid(const T* in, T* out, int n) {
  __shared__ T partial[32];
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? partial[lane] : 0;
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}
template __global__ void sum_grid<float>(const float*, float*, int);
template __global__ void sum_grid<double>(const double*, double*, int);
template __global__ void sum_grid<long long>(const long long*, long long*, int);

__global__ void sum_last_block(const float* in, float* partial, float* out, unsigned* count, int n) {
  __shared__ float s[128];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    v = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) v += ((volatile float*)partial)[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
      __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
  }
}

__global__ void min_max_mean(const float* in, float4* out, int n) {
  __shared__ float lo[64], hi[64], total[64];
  int t = threadIdx.x;
  float a = 3e38f, b = -3e38f, c = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
    float v = in[i];
    a = fminf(a, v);
    b = fmaxf(b, v);
    c += v;
  }
  lo[t] = a;
  hi[t] = b;
  total[t] = c;
  __syncthreads();
  for (int k = 32; k > 0; k /= 2) {
    if (t < k) {
      lo[t] = fminf(lo[t], lo[t + k]);
      hi[t] = fmaxf(hi[t], hi[t + k]);
      total[t] += total[t + k];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = make_float4(lo[0], hi[0], total[0] / n, 0.f);
}

__global__ void sum_cg(const int* in, int* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ int sums[8];
  int v = 0;
  for (int i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) v += in[i];
  v = cg::reduce(tile, v, cg::plus<int>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = v;
  block.sync();
  if (tile.meta_group_rank() == 0) {
    v = tile.thread_rank() < tile.meta_group_size() ? sums[tile.thread_rank()] : 0;
    v = cg::reduce(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(out, v);
  }
}

template <int SIZE>
__global__ void tile_scan(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int s = cg::inclusive_scan(tile, v);
  int m = cg::reduce(tile, v, cg::greater<int>());
  if (i < n) out[i] = s + m * (tile.thread_rank() == tile.size() - 1);
}
template __global__ void tile_scan<4>(const int*, int*, int);
template __global__ void tile_scan<16>(const int*, int*, int);

__global__ void compact_coalesced(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0) base = atomicAdd(count, (int)active.size());
    base = active.shfl(base, 0);
    out[base + active.thread_rank()] = in[i];
  }
}

__global__ void exclusive_scan_block(const int* in, int* out, int* sums, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int pout = 0, pin = 1, size = blockDim.x;
  temp[t] = t > 0 && i <= n ? in[i - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < size; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (t >= offset)
      temp[pout * size + t] = temp[pin * size + t] + temp[pin * size + t - offset];
    else
      temp[pout * size + t] = temp[pin * size + t];
    __syncthreads();
  }
  if (i < n) out[i] = temp[pout * size + t];
  if (t == size - 1) sums[blockIdx.x] = temp[pout * size + t] + (i < n ? in[i] : 0);
}

__global__ void scan_in_place_warp(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = i < n ? data[i] : 0.f;
  for (int d = 1; d < 32; d *= 2) {
    float other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += other;
  }
  if (i < n) data[i] = v;
}

__global__ void scan_blelloch_two(const float* in, float* out, int n) {
  extern __shared__ float work[];
  int t = threadIdx.x, offset = 1;
  work[2 * t] = in[2 * t];
  work[2 * t + 1] = in[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      work[bi] += work[ai];
    }
    offset *= 2;
  }
  if (t == 0) work[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      float hold = work[ai];
      work[ai] = work[bi];
      work[bi] += hold;
    }
  }
  __syncthreads();
  out[2 * t] = work[2 * t];
  out[2 * t + 1] = work[2 * t + 1];
}

// Histograms.
__global__ void histogram_striped(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned mine[4][64];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) (&mine[0][0])[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[threadIdx.x & 3][data[i] >> 2], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 64; k += blockDim.x) {
    unsigned sum = mine[0][k] + mine[1][k] + mine[2][k] + mine[3][k];
    if (sum) atomicAdd(&bins[k], sum);
  }
}
__global__ void histogram_per_thread(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned char counts[16][64];
  int t = threadIdx.x;
  for (int k = 0; k < 16; ++k) counts[k][t] = 0;
  for (int i = t; i < n; i += 64) counts[data[i] & 15][t]++;
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += counts[t][(k + t) & 63];
    bins[t] = sum;
  }
}
__global__ void histogram_range(const float* data, int* bins, int n, int nbins, float lo, float hi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = data[i];
    if (v >= lo && v < hi) {
      int bin = (int)((v - lo) * nbins / (hi - lo));
      atomicAdd(bins + min(bin, nbins - 1), 1);
    }
  }
}
__global__ void histogram_matched(const int* keys, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(~0u, i < n);
  if (i < n) {
    int key = keys[i];
    unsigned peers = __match_any_sync(active, key);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&bins[key], __popc(peers));
  }
}

// Warps.
__global__ void vote_summary(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int any = __any_sync(~0u, v > limit), all = __all_sync(~0u, v > limit / 4);
  unsigned mask = __ballot_sync(~0u, v & 1);
  if (threadIdx.x % 32 == 0) out[i / 32] = any + 2 * all + 4 * __popc(mask) + 256 * __clz(mask | 1);
}
__global__ void bitonic_in_warp(int* data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = data[i];
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = __shfl_xor_sync(~0u, v, j);
      bool up = (lane & k) == 0, lower = (lane & j) == 0;
      v = (lower == up) ? min(v, other) : max(v, other);
    }
  data[i] = v;
}
__global__ void redux_all(const unsigned* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[i];
  unsigned a = __reduce_add_sync(~0u, v), b = __reduce_min_sync(~0u, v), c = __reduce_max_sync(~0u, v),
           d = __reduce_xor_sync(~0u, v), e = __reduce_and_sync(~0u, v | 0xff), f = __reduce_or_sync(~0u, v & 0xff00);
  if (threadIdx.x % 32 == 0) {
    unsigned* o = out + i / 32 * 6;
    o[0] = a; o[1] = b; o[2] = c; o[3] = d; o[4] = e; o[5] = f;
  }
}
__global__ void rotate_segments(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? in[i] : 0.0;
  v = __shfl_sync(~0u, v, (threadIdx.x + 3) & 7, 8);
  if (i < n) out[i] = v;
}
__global__ void half_sums(const __half2* in, __half* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __half2 v = i < n ? in[i] : __float2half2_rn(0.f);
  for (int d = 16; d; d >>= 1) v = __hadd2(v, __shfl_xor_sync(~0u, v, d));
  if ((threadIdx.x & 31) == 0) out[i / 32] = __hadd(__low2half(v), __high2half(v));
}
__global__ void bf16_scale_add(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, float s, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (i + 1 < n) {
    __nv_bfloat162 x = *(const __nv_bfloat162*)(a + i), y = *(const __nv_bfloat162*)(b + i);
    *(__nv_bfloat162*)(c + i) = __hfma2(x, __float2bfloat162_rn(s), y);
  } else if (i < n) {
    c[i] = __float2bfloat16(__bfloat162float(a[i]) * s + __bfloat162float(b[i]));
  }
}
__global__ void segmented_by_flags(const float* values, const int* flags, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = i < n ? values[i] : 0;
  int f = i < n ? flags[i] == 0 : 1;
  for (int d = 1; d < 32; d <<= 1) {
    float pv = __shfl_up_sync(~0u, v, d);
    int pf = __shfl_up_sync(~0u, f, d);
    if (lane >= d && !f) v += pv, f |= pf;
  }
  if (i < n) out[i] = v;
}
__global__ void warp_specialised(const float* in, float* out, int n) {
  __shared__ float buffer[64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int base = blockIdx.x * 64; base < n; base += gridDim.x * 64) {
    if (warp == 0) {
      buffer[lane] = in[base + lane];
      buffer[lane + 32] = in[base + lane + 32];
    }
    __syncthreads();
    if (warp == 1) {
      float v = buffer[2 * lane] + buffer[2 * lane + 1];
      out[base / 2 + lane] = v;
    }
    __syncthreads();
  }
}
__global__ void block_barriers(const int* in, int* out, int n) {
  __shared__ int s[96];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int count = __syncthreads_count(v & 1);
  int all = __syncthreads_and(v >= 0);
  int some = __syncthreads_or(v > 900);
  s[threadIdx.x] = v;
  __syncthreads();
  if (i < n) out[i] = s[(threadIdx.x + count) % 96] + all * 2 + some;
}
