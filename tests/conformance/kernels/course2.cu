// The language in use: templates, lambdas, calls, structs, narrow types, tables, groups, copies, tensor
// cores.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

struct Midpoint {
  __device__ float operator()(float a, float b) const { return 0.5f * (a + b); }
};
struct Contrast {
  __device__ float operator()(float a, float b) const { return a > b ? a - b : b * b; }
};

template <typename Op, int kStep>
__global__ void zip_every(const float* a, const float* b, float* out, int n) {
  Op op;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * kStep; i < n; i += gridDim.x * blockDim.x * kStep)
    out[i] = op(a[i], b[i]);
}
template __global__ void zip_every<Midpoint, 3>(const float*, const float*, float*, int);
template __global__ void zip_every<Contrast, 1>(const float*, const float*, float*, int);

template <typename F, typename G>
__device__ auto then(F f, G g) {
  return [=](auto v) { return g(f(v)); };
}

__global__ void lambda_chain(const int* in, int* out, int n, int bias) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto twice = [](int v) { return v * 2; };
  auto biased = [bias](int v) { return v % 100 + bias; };
  auto chain = then(biased, then(twice, [&](int v) { return v > 90 ? -v : v + i; }));
  if (i < n) out[i] = chain(in[i]);
}

__device__ __noinline__ float series(const float* coefficients, int terms, float x) {
  float sum = 0.f, power = 1.f;
  for (int k = 0; k < terms; k++) {
    sum += coefficients[k] * power;
    power *= x;
  }
  return sum;
}

__global__ void series_of_each(const float* coefficients, const float* x, float* out, int n, int terms) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = series(coefficients + i % 3, terms, x[i]);
}

__device__ int ways(int stairs) {
  if (stairs < 0) return 0;
  if (stairs == 0) return 1;
  return ways(stairs - 1) + ways(stairs - 3);
}

__global__ void stair_ways(const int* stairs, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = ways(stairs[i]);
}

__device__ __noinline__ void split_whole(float v, int* whole, float* rest, const float* scale) {
  float scaled = v * *scale;
  *whole = (int)floorf(scaled);
  *rest = scaled - *whole;
}

__global__ void whole_and_rest(const float* in, int* wholes, float* rests, int n) {
  __shared__ float scale;
  if (threadIdx.x == 0) scale = 10.f + blockIdx.x;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int w;
  float r;
  split_whole(in[i], &w, &r, &scale);
  wholes[i] = w;
  rests[i] = r;
}

struct Gate {
  __device__ virtual int pass(int v) const = 0;
};
struct Threshold : Gate {
  int limit;
  __device__ explicit Threshold(int l) : limit(l) {}
  __device__ int pass(int v) const override { return v > limit ? 1 : 0; }
};
struct Parity : Gate {
  __device__ int pass(int v) const override { return v & 1; }
};

__global__ void gates(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Threshold high(500);
  Parity odd;
  const Gate* gate = in[i] % 3 == 0 ? static_cast<const Gate*>(&high) : &odd;
  out[i] = gate->pass(in[i]) * 10 + odd.pass(i);
}

struct Triple {
  int key;
  float low, high;
};
struct Five {
  float x, y, z;
  int kind, age;
};
struct Six {
  double weight;
  int id;
  float share;
  long long stamp;
};

__global__ void widen_triples(const Triple* in, Triple* out, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Triple t = in[i];
  t.low -= by;
  t.high += by * (t.key & 3);
  out[i] = t;
}

__global__ void age_fives(Five* items, float* height, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  items[i].age++;
  if (items[i].kind % 2) items[i].z += 1.5f;
  height[i] = items[i].y;
}

__global__ void total_sixes(const Six* in, double* out, int n) {
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i].weight * in[i].share;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

struct Window {
  int left, top, width;
  float gain;
};

__global__ void crop_by_value(const float* in, float* out, Window w, int pitch, int height) {
  int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  if (x < w.width && y < height) out[y * w.width + x] = in[(y + w.top) * pitch + x + w.left] * w.gain;
}

__global__ void half2_leaky(const __half2* in, __half2* out, __half* tail, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  __half2 v = in[i];
  __half2 leak = __hmul2(v, __floats2half2_rn(0.125f, 0.125f));
  v = __hfma2(v, __float2half2_rn(0.5f), leak);
  out[i] = v;
  if (i % 5 == 0) tail[i / 5] = __high2half(v);
}

__global__ void bf16_row_peaks(const __nv_bfloat16* in, float* out, int columns) {
  float peak = 0.f;
  for (int c = threadIdx.x; c < columns; c += 32)
    peak = fmaxf(peak, fabsf(__bfloat162float(in[blockIdx.x * columns + c])));
  for (int o = 16; o; o >>= 1) peak = fmaxf(peak, __shfl_xor_sync(~0u, peak, o));
  if (threadIdx.x == 0) out[blockIdx.x] = peak;
}

__global__ void int8_affine(const char4* in, const char* weight, int* out, int quads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  char4 v = in[i];
  int w = weight[i % 7];
  out[i] = v.x * w + v.y * (w - 1) - v.w;
}

__constant__ int kSteps[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2,
                               6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8, 4, 1, 9, 7, 1, 6, 9, 3,
                               9, 9, 3, 7, 5, 1, 0, 5, 8, 2, 0, 9, 7, 4, 9, 4, 4, 5, 9, 2};

__global__ void constant_walks(const int* in, int* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int even = 0, place = in[i] & 63;
  for (int r = 0; r < rounds; r++) {
    even += kSteps[r];
    place = (place + kSteps[place]) & 63;
  }
  out[i] = even * 100 + place;
}

__constant__ double kDoubles[5] = {1.0, 0.5, 0.25, 2.0, 4.0};

__global__ void constant_by_block_and_lane(double* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * kDoubles[blockIdx.x % 5] + kDoubles[threadIdx.x % 5];
}

__global__ void tiles_of_four_median(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 1 << 30, below = 0;
  for (int k = 0; k < 4; k++) {
    int other = tile.shfl(v, k);
    below += other < v || (other == v && k < (int)tile.thread_rank());
  }
  if (i < n && below == 1) out[i / 4] = v;
}

__global__ void tiles_exclusive_then_all(const int* in, int* out, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int before = cg::exclusive_scan(warp, v), all = cg::reduce(warp, v, cg::plus<int>());
  bool any = warp.any(v % 7 == 0);
  if (i < n) out[i] = any ? before : all - before;
}

__global__ void ballot_places(const int* in, int* out, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = i / 32;
  bool keep = i < n && in[i] % 3 == 1;
  unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (keep) out[warp * 32 + __popc(votes & ((1u << lane) - 1))] = in[i];
  if (lane == 0) counts[warp] = __popc(votes);
}

__global__ void peers_of_value(const int* in, int* peers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned live = __ballot_sync(~0u, i < n);
  if (i < n) {
    unsigned same = __match_any_sync(live, in[i]);
    if ((int)(threadIdx.x & 31) == __ffs(same) - 1) peers[i] = __popc(same);
  }
}

template <typename T>
__global__ void async_rows_reversed(const T* in, T* out, int columns, int rows) {
  __shared__ T line[2][96];
  int t = threadIdx.x;
  if (t < columns) __pipeline_memcpy_async(&line[0][t], &in[blockIdx.x * columns + t], sizeof(T));
  __pipeline_commit();
  int stage = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x, stage ^= 1) {
    int next = row + gridDim.x;
    if (next < rows && t < columns)
      __pipeline_memcpy_async(&line[stage ^ 1][t], &in[next * columns + t], sizeof(T));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    if (t < columns) out[row * columns + t] = line[stage][columns - 1 - t];
    __syncthreads();
  }
}
template __global__ void async_rows_reversed<float>(const float*, float*, int, int);
template __global__ void async_rows_reversed<int2>(const int2*, int2*, int, int);
template __global__ void async_rows_reversed<float4>(const float4*, float4*, int, int);

__global__ void wmma_two_halves(const __half* a, const __half* b, float* c, int k, int ldc) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.f);
  int warp = threadIdx.x / 32;
  for (int d = 0; d < k; d += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.x * 16 * k + d, k);
    wmma::load_matrix_sync(right, b + warp * 16 * k + d, k);
    wmma::mma_sync(sum, left, right, sum);
  }
  for (int e = 0; e < sum.num_elements; e++) sum.x[e] *= 0.5f;
  wmma::store_matrix_sync(c + blockIdx.x * 16 * ldc + warp * 16, sum, ldc, wmma::mem_row_major);
}

__global__ void three_parts_of_shared(const float* in, float* out, int n, int bins) {
  extern __shared__ unsigned char raw[];
  float* values = reinterpret_cast<float*>(raw);
  int* counts = reinterpret_cast<int*>(values + blockDim.x);
  unsigned char* bin = reinterpret_cast<unsigned char*>(counts + bins);
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  values[t] = i < n ? in[i] : 0.f;
  bin[t] = (unsigned char)(min(max((int)(values[t] * bins), 0), bins - 1));
  for (int b = t; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  atomicAdd(&counts[bin[t]], 1);
  __syncthreads();
  if (i < n) out[i] = values[blockDim.x - 1 - t] / counts[bin[t]];
}

union Word {
  unsigned all;
  unsigned char byte[4];
  unsigned short half[2];
};

__global__ void union_bytes(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Word w;
  w.all = in[i];
  w.byte[i & 3] ^= 0x5a;
  unsigned short first = w.half[0];
  w.half[0] = w.half[1] + w.byte[3];
  w.half[1] = first;
  out[i] = w.all;
}

template <int kTerms>
struct Chain {
  static __device__ long long of(const int* p) { return p[0] + kTerms * Chain<kTerms - 1>::of(p + 1); }
};
template <>
struct Chain<0> {
  static __device__ long long of(const int* p) { return p[0]; }
};

__global__ void chained_templates(const int* in, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 5 < n) out[i] = Chain<5>::of(in + i);
}
