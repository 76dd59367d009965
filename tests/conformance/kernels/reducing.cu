// Reductions, scans, compaction, sorts and histograms, written the ways courses and blogs write them.
#include <cfloat>

// A tree over any number of threads.
__global__ void norm_squared(const float* x, float* partial, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i] * x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  int live = blockDim.x;
  while (live > 1) {
    int half = (live + 1) / 2;
    if (threadIdx.x < live - half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
    live = half;
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = part[0];
}

__global__ void arg_min_rows(const float* m, int* where, float* low, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best = FLT_MAX;
  int at = -1;
  for (int c = lane; c < cols; c += 32) {
    float v = m[row * cols + c];
    if (v < best) {
      best = v;
      at = c;
    }
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_down_sync(0xffffffff, best, offset);
    int index = __shfl_down_sync(0xffffffff, at, offset);
    if (other < best || (other == best && index >= 0 && index < at)) {
      best = other;
      at = index;
    }
  }
  if (lane == 0) {
    where[row] = at;
    low[row] = best;
  }
}

template <unsigned BLOCK>
__global__ void reduce_template_double(const double* in, double* out, unsigned n) {
  __shared__ double s[BLOCK];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (BLOCK * 2) + tid;
  double v = i < n ? in[i] : 0;
  if (i + BLOCK < n) v += in[i + BLOCK];
  s[tid] = v;
  __syncthreads();
  if (BLOCK >= 256) {
    if (tid < 128) s[tid] += s[tid + 128];
    __syncthreads();
  }
  if (BLOCK >= 128) {
    if (tid < 64) s[tid] += s[tid + 64];
    __syncthreads();
  }
  if (tid < 32) {
    double t = s[tid] + s[tid + 32];
    for (int o = 16; o > 0; o >>= 1) t += __shfl_down_sync(0xffffffffu, t, o);
    if (tid == 0) out[blockIdx.x] = t;
  }
}
template __global__ void reduce_template_double<64>(const double*, double*, unsigned);
template __global__ void reduce_template_double<256>(const double*, double*, unsigned);

struct Moments {
  float n, mean, m2;
};

__device__ Moments combine(Moments a, Moments b) {
  float n = a.n + b.n;
  if (n == 0) return a;
  float d = b.mean - a.mean;
  return {n, a.mean + d * b.n / n, a.m2 + b.m2 + d * d * a.n * b.n / n};
}

__global__ void welford(const float* x, float* mean, float* variance, int cols) {
  __shared__ Moments warps[4];
  Moments mine = {0, 0, 0};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) mine = combine(mine, {1, x[blockIdx.x * cols + c], 0});
  for (int o = 16; o > 0; o >>= 1) {
    Moments other;
    other.n = __shfl_xor_sync(0xffffffffu, mine.n, o);
    other.mean = __shfl_xor_sync(0xffffffffu, mine.mean, o);
    other.m2 = __shfl_xor_sync(0xffffffffu, mine.m2, o);
    mine = combine(mine, other);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    Moments all = warps[0];
    for (int w = 1; w < blockDim.x / 32; ++w) all = combine(all, warps[w]);
    mean[blockIdx.x] = all.mean;
    variance[blockIdx.x] = all.m2 / all.n;
  }
}

__global__ void block_predicates(const int* in, int* counts, int* any, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int count = __syncthreads_count(v > limit);
  int found = __syncthreads_or(v == limit);
  int every = __syncthreads_and(v >= 0);
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = count;
    any[blockIdx.x] = found ? 2 : every ? 1 : 0;
  }
}

__global__ void inclusive_scan_pingpong(const int* in, int* out, int n) {
  extern __shared__ int two[];
  int t = threadIdx.x, from = 0;
  int i = blockIdx.x * blockDim.x + t;
  two[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int to = 1 - from;
    if (t >= d)
      two[to * blockDim.x + t] = two[from * blockDim.x + t] + two[from * blockDim.x + t - d];
    else
      two[to * blockDim.x + t] = two[from * blockDim.x + t];
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = two[from * blockDim.x + t];
}

__global__ void running_maximum(const int* in, int* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  int carry = -2147483647;
  for (int base = 0; base < cols; base += 32) {
    int c = base + threadIdx.x;
    int v = c < cols ? in[row * cols + c] : -2147483647;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      int up = __shfl_up_sync(0xffffffffu, v, d);
      if (threadIdx.x >= d) v = max(v, up);
    }
    v = max(v, carry);
    if (c < cols) out[row * cols + c] = v;
    carry = __shfl_sync(0xffffffffu, v, 31);
  }
}

// Sums restart where a flag stands.
__global__ void flagged_scan(const float* in, const unsigned char* flag, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  float v = i < n ? in[i] : 0.f;
  bool head = lane == 0 || (i < n && flag[i] == 0);
  unsigned heads = __ballot_sync(0xffffffffu, head);
  int start = 31 - __clz(heads & (0xffffffffu >> (31 - lane)));
  for (int d = 1; d < 32; d *= 2) {
    float up = __shfl_up_sync(0xffffffffu, v, d);
    if (lane - d >= start) v += up;
  }
  if (i < n) out[i] = v;
}

__global__ void keep_even_stable(const int* in, int* out, int* kept, int n) {
  __shared__ int warp_total[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = i < n ? in[i] : 1;
  bool keep = v % 2 == 0;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) warp_total[warp] = __popc(votes);
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += warp_total[w];
  if (keep) out[blockIdx.x * blockDim.x + before + __popc(votes & ((1u << lane) - 1))] = v;
  if (threadIdx.x == blockDim.x - 1) kept[blockIdx.x] = before + __popc(votes);
}

__global__ void bitonic_doubles(double* data, int per_block) {
  extern __shared__ double keys[];
  double* mine = data + blockIdx.x * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) keys[i] = mine[i];
  __syncthreads();
  for (int size = 2; size <= per_block; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      for (int t = threadIdx.x; t < per_block / 2; t += blockDim.x) {
        int low = 2 * t - (t & (stride - 1));
        bool up = (low & size) == 0;
        double a = keys[low], b = keys[low + stride];
        if ((a > b) == up) {
          keys[low] = b;
          keys[low + stride] = a;
        }
      }
      __syncthreads();
    }
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) mine[i] = keys[i];
}

__global__ void transposition_warp(int* rows, int n) {
  int lane = threadIdx.x;
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  int v = rows[row * 32 + lane];
  for (int step = 0; step < 32; ++step) {
    int partner = (lane + step) % 2 == 0 ? lane + 1 : lane - 1;
    bool paired = partner >= 0 && partner < 32;
    int other = __shfl_sync(0xffffffffu, v, paired ? partner : lane);
    if (paired) v = partner > lane ? min(v, other) : max(v, other);
  }
  rows[row * 32 + lane] = v;
}

// One pass of a radix sort by four bits, a block at a time, each thread counting its own run.
__global__ void radix_nibble(const unsigned* in, unsigned* out, int shift, int n) {
  __shared__ unsigned short counts[16][65];
  __shared__ int base[16];
  int t = threadIdx.x, per = (n + 63) / 64;
  const unsigned* source = in + blockIdx.x * n;
  for (int d = 0; d < 16; ++d) counts[d][t] = 0;
  int first = t * per, last = min(n, first + per);
  for (int i = first; i < last; ++i) counts[source[i] >> shift & 15][t]++;
  __syncthreads();
  if (t < 16) {
    unsigned short sum = 0;
    for (int k = 0; k < 64; ++k) {
      unsigned short c = counts[t][k];
      counts[t][k] = sum;
      sum += c;
    }
    counts[t][64] = sum;
  }
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int d = 0; d < 16; ++d) {
      base[d] = sum;
      sum += counts[d][64];
    }
  }
  __syncthreads();
  for (int i = first; i < last; ++i) {
    unsigned v = source[i];
    int d = v >> shift & 15;
    out[blockIdx.x * n + base[d] + counts[d][t]++] = v;
  }
}

__global__ void merge_sort_shared(float* data, int n) {
  __shared__ float a[128], b[128];
  float *from = a, *to = b;
  int t = threadIdx.x;
  if (t < n) a[t] = data[blockIdx.x * n + t];
  __syncthreads();
  for (int width = 1; width < n; width *= 2) {
    int left = t * 2 * width;
    if (left < n) {
      int middle = min(left + width, n), right = min(left + 2 * width, n);
      int i = left, j = middle;
      for (int k = left; k < right; ++k) {
        if (i < middle && (j >= right || from[i] <= from[j]))
          to[k] = from[i++];
        else
          to[k] = from[j++];
      }
    }
    __syncthreads();
    float* swap = from;
    from = to;
    to = swap;
  }
  if (t < n) data[blockIdx.x * n + t] = from[t];
}

__global__ void comb_sort_each(short* rows, int n, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  short* v = rows + r * length;
  int gap = length;
  bool swapped = true;
  while (gap > 1 || swapped) {
    gap = gap * 10 / 13;
    if (gap < 1) gap = 1;
    swapped = false;
    for (int i = 0; i + gap < length; ++i)
      if (v[i] > v[i + gap]) {
        short x = v[i];
        v[i] = v[i + gap];
        v[i + gap] = x;
        swapped = true;
      }
  }
}

// The k-th smallest of a row in a local array.
__global__ void quick_select(const int* rows, int* out, int n, int k) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  int v[15];
  for (int i = 0; i < 15; ++i) v[i] = rows[r * 15 + i];
  int lo = 0, hi = 14;
  while (lo < hi) {
    int pivot = v[(lo + hi) / 2], i = lo, j = hi;
    while (i <= j) {
      while (v[i] < pivot) i++;
      while (v[j] > pivot) j--;
      if (i <= j) {
        int x = v[i];
        v[i++] = v[j];
        v[j--] = x;
      }
    }
    if (k <= j)
      hi = j;
    else if (k >= i)
      lo = i;
    else
      break;
  }
  out[r] = v[k];
}

__global__ void histogram_per_warp(const unsigned char* data, int* bins, int n) {
  __shared__ int own[6][25];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < 25) own[warp][lane] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[warp][data[i] % 24], 1);
  __syncthreads();
  if (threadIdx.x < 24) {
    int sum = 0;
    for (int w = 0; w < blockDim.x / 32; ++w) sum += own[w][threadIdx.x];
    if (sum) atomicAdd(bins + threadIdx.x, sum);
  }
}

__global__ void histogram_bytes_private(const unsigned char* data, unsigned* bins, int per_thread) {
  __shared__ unsigned char count[16 * 64];
  int t = threadIdx.x;
  for (int b = 0; b < 16; ++b) count[b * 64 + t] = 0;
  const unsigned char* mine = data + (blockIdx.x * 64 + t) * per_thread;
  for (int i = 0; i < per_thread; ++i) count[(mine[i] >> 4) * 64 + t]++;
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += count[t * 64 + (k + t) % 64];
    bins[blockIdx.x * 16 + t] = sum;
  }
}

__global__ void histogram_joint(const unsigned char* a, const unsigned char* b, int* joint, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&joint[(a[i] >> 5) * 8 + (b[i] >> 5)], 1);
}

__global__ void column_prefix(const float* in, float* out, int rows, int cols) {
  __shared__ float total[5][24];
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int chunk = (rows + blockDim.y - 1) / blockDim.y;
  int first = threadIdx.y * chunk, last = min(rows, first + chunk);
  float sum = 0;
  if (c < cols)
    for (int r = first; r < last; ++r) sum += in[r * cols + c];
  total[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (c >= cols) return;
  sum = 0;
  for (int y = 0; y < threadIdx.y; ++y) sum += total[y][threadIdx.x];
  for (int r = first; r < last; ++r) {
    sum += in[r * cols + c];
    out[r * cols + c] = sum;
  }
}
