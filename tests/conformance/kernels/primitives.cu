// Block and warp primitives in the manner of template libraries: functors, policies, items a thread.
#include <cstdint>

struct Sum {
  template <typename T>
  __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
struct Max {
  template <typename T>
  __device__ T operator()(const T& a, const T& b) const { return b > a ? b : a; }
};
struct Pair {
  int key;
  float value;
};
struct ArgMin {
  __device__ Pair operator()(const Pair& a, const Pair& b) const {
    return (b.value < a.value || (b.value == a.value && b.key < a.key)) ? b : a;
  }
};

template <typename T, typename Op>
__device__ __forceinline__ T warp_inclusive(T v, Op op) {
  const unsigned lane = threadIdx.x & 31;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    T other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v = op(other, v);
  }
  return v;
}

template <int THREADS, typename T, typename Op>
struct BlockScan {
  struct Storage {
    T warps[THREADS / 32];
  };
  Storage& storage;
  __device__ explicit BlockScan(Storage& s) : storage(s) {}
  __device__ T inclusive(T v, Op op, T& total) {
    v = warp_inclusive(v, op);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 31) storage.warps[warp] = v;
    __syncthreads();
    T before = storage.warps[0];
#pragma unroll
    for (int w = 1; w < THREADS / 32; ++w) {
      if (warp == w) v = op(before, v);
      before = op(before, storage.warps[w]);
    }
    total = before;
    return v;
  }
};

template <typename T, int THREADS, int ITEMS, typename Op>
__global__ void block_scan_items(const T* __restrict__ in, T* __restrict__ out, int n, Op op) {
  typedef BlockScan<THREADS, T, Op> Scan;
  __shared__ typename Scan::Storage storage;
  T items[ITEMS];
  const int base = (blockIdx.x * THREADS + threadIdx.x) * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = base + i < n ? in[base + i] : T(0);
#pragma unroll
  for (int i = 1; i < ITEMS; ++i) items[i] = op(items[i - 1], items[i]);
  T total;
  T mine = Scan(storage).inclusive(items[ITEMS - 1], op, total);
  T before = __shfl_up_sync(0xffffffffu, mine, 1);
  __shared__ T edges[THREADS / 32];
  if (threadIdx.x % 32 == 31) edges[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x % 32 == 0 && threadIdx.x > 0) before = edges[threadIdx.x / 32 - 1];
  if (threadIdx.x > 0) {
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) items[i] = op(before, items[i]);
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (base + i < n) out[base + i] = items[i];
}
template __global__ void block_scan_items<int, 128, 4, Sum>(const int*, int*, int, Sum);
template __global__ void block_scan_items<float, 64, 3, Max>(const float*, float*, int, Max);

// Reduction over structures, items striped over the block.
template <int THREADS, typename Op>
__global__ void reduce_pairs(const float* in, Pair* out, int n, Op op) {
  __shared__ Pair shared[THREADS];
  Pair best = {-1, 3.0e38f};
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) best = op(best, Pair{i, in[i]});
  shared[threadIdx.x] = best;
  __syncthreads();
#pragma unroll
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = shared[0];
}
template __global__ void reduce_pairs<128, ArgMin>(const float*, Pair*, int, ArgMin);

// Blocked to striped through shared memory, with and without padding.
template <typename T, int THREADS, int ITEMS, bool PAD>
__global__ void exchange_blocked_striped(const T* in, T* out) {
  __shared__ T buffer[THREADS * ITEMS + (PAD ? THREADS * ITEMS / 32 : 0)];
  T items[ITEMS];
  const int tile = blockIdx.x * THREADS * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; i++) items[i] = in[tile + i * THREADS + threadIdx.x];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    int at = i * THREADS + threadIdx.x;
    if (PAD) at += at >> 5;
    buffer[at] = items[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    int at = threadIdx.x * ITEMS + i;
    if (PAD) at += at >> 5;
    items[i] = buffer[at];
  }
#pragma unroll
  for (int i = 0; i < ITEMS; i++) out[tile + threadIdx.x * ITEMS + i] = items[i] * T(2);
}
template __global__ void exchange_blocked_striped<int, 64, 8, false>(const int*, int*);
template __global__ void exchange_blocked_striped<int, 64, 8, true>(const int*, int*);
template __global__ void exchange_blocked_striped<double, 96, 5, false>(const double*, double*);

// Ranks of 4-bit digits with ballots.
template <int BITS>
__global__ void block_radix_rank(const uint32_t* keys, uint32_t* ranked, int shift) {
  __shared__ int zeros[4];
  __shared__ uint32_t sorted[128];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  uint32_t key = keys[blockIdx.x * 128 + t];
  for (int bit = 0; bit < BITS; ++bit) {
    const bool one = key >> (shift + bit) & 1;
    const unsigned ballot = __ballot_sync(~0u, !one);
    const int before = __popc(ballot & ((1u << lane) - 1));
    if (lane == 0) zeros[warp] = __popc(ballot);
    __syncthreads();
    int base = 0, all = 0;
    for (int w = 0; w < 4; ++w) {
      if (w < warp) base += zeros[w];
      all += zeros[w];
    }
    const int rank = one ? all + t - (base + before) : base + before;
    sorted[rank] = key;
    __syncthreads();
    key = sorted[t];
    __syncthreads();
  }
  ranked[blockIdx.x * 128 + t] = key;
}
template __global__ void block_radix_rank<4>(const uint32_t*, uint32_t*, int);

// A single-pass scan: each block waits for what the one before it has published.
__global__ void chained_scan(const int* in, int* out, volatile int* state, int n) {
  __shared__ int warps[4];
  __shared__ int prefix;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = i < n ? in[i] : 0;
  int s = warp_inclusive(v, Sum());
  if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = s;
  __syncthreads();
  for (int w = 0; w < threadIdx.x / 32; ++w) s += warps[w];
  if (threadIdx.x == blockDim.x - 1) {
    int before = 0;
    if (blockIdx.x > 0) {
      while ((before = state[blockIdx.x - 1]) == 0) {
      }
      before -= 1;
    }
    __threadfence();
    state[blockIdx.x] = before + s + 1;
    prefix = before;
  }
  __syncthreads();
  if (i < n) out[i] = s + prefix;
}

template <typename F>
__device__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
__global__ void zip_transform(const float* a, const int* b, float* c, float* d, int n) {
  const float scale = 0.5f;
  for_each(n, [=](int i) {
    c[i] = a[i] * scale + b[i];
    if (b[i] & 1) d[i] = sqrtf(fabsf(a[i]));
  });
}

// Iterators over a strided range, with a predicate: remove_copy_if of one warp.
template <typename It, typename Pred>
__device__ int warp_copy_if(It first, int count, int* out, Pred keep) {
  int kept = 0;
  for (int base = 0; base < count; base += 32) {
    const int at = base + (threadIdx.x & 31);
    const bool yes = at < count && keep(first[at]);
    const unsigned mask = __ballot_sync(0xffffffff, yes);
    if (yes) out[kept + __popc(mask << (31 - (threadIdx.x & 31)) << 1)] = first[at];
    kept += __popc(mask);
  }
  return kept;
}
__global__ void keep_small(const int* in, int* out, int* kept, int rows, int cols, int limit) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int k = warp_copy_if(in + row * cols, cols, out + row * cols, [limit](int v) { return v < limit; });
  if (threadIdx.x == 0) kept[row] = k;
}

// Merge of two sorted tiles in shared memory, several items a thread.
template <int ITEMS>
__global__ void tile_merge(const int* a, const int* b, int* out, int na, int nb) {
  extern __shared__ int keys[];
  for (int i = threadIdx.x; i < na + nb; i += blockDim.x) keys[i] = i < na ? a[i] : b[i - na];
  __syncthreads();
  const int diagonal = min(threadIdx.x * ITEMS, na + nb);
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    const int mid = (low + high) >> 1;
    if (keys[mid] <= keys[na + diagonal - 1 - mid])
      low = mid + 1;
    else
      high = mid;
  }
  int x = low, y = diagonal - low;
  for (int i = 0; i < ITEMS; ++i) {
    const int at = diagonal + i;
    if (at >= na + nb) break;
    const bool take = x < na && (y >= nb || keys[x] <= keys[na + y]);
    out[at] = take ? keys[x++] : keys[na + y++];
  }
}
template __global__ void tile_merge<7>(const int*, const int*, int*, int, int);

// A histogram with items a thread and one copy a warp.
template <int BINS, int ITEMS>
__global__ void histogram_items(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[4][BINS];
  for (int b = threadIdx.x; b < 4 * BINS; b += blockDim.x) bins[b / BINS][b % BINS] = 0;
  __syncthreads();
  unsigned* mine = bins[threadIdx.x / 32];
  const int base = blockIdx.x * blockDim.x * ITEMS + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = base + i * blockDim.x;
    if (at < n) atomicAdd(mine + in[at] % BINS, 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) out[blockIdx.x * BINS + b] = bins[0][b] + bins[1][b] + bins[2][b] + bins[3][b];
}
template __global__ void histogram_items<48, 6>(const unsigned char*, unsigned*, int);

// Run-length heads with a discontinuity flag from the neighbour.
__global__ void flag_heads(const short* in, unsigned char* flags, int n) {
  __shared__ short last[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const short v = i < n ? in[i] : 0;
  last[threadIdx.x] = v;
  __syncthreads();
  if (i < n) {
    const short before = threadIdx.x ? last[threadIdx.x - 1] : i ? in[i - 1] : (short)~v;
    flags[i] = before / 8 != v / 8;
  }
}

// Segmented reduction, one warp a segment, vector loads where the start is aligned.
__global__ void segment_reduce(const float* values, const int* offsets, float* out, int segments) {
  const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (segment >= segments) return;
  int begin = offsets[segment];
  const int end = offsets[segment + 1];
  float sum = 0;
  if (begin % 4 == 0) {
    const float4* wide = reinterpret_cast<const float4*>(values + begin);
    const int quads = (end - begin) / 4;
    for (int q = lane; q < quads; q += 32) {
      const float4 v = wide[q];
      sum += (v.x + v.y) + (v.z + v.w);
    }
    begin += quads * 4;
  }
  for (int i = begin + lane; i < end; i += 32) sum += values[i];
#pragma unroll
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (lane == 0) out[segment] = sum;
}
