// Whole programs in the manner of the CUDA samples and of libraries: hashes, lattices, graphs, transforms, sorts.
#ifdef __CUDACC__
#include <cooperative_groups.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <mma.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

__constant__ unsigned kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ unsigned turn(unsigned x, int n) { return __funnelshift_r(x, x, n); }
// One block of 64 bytes, "abc" padded when every word of the input is its own.
KERNEL sha256_block(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w[64], s[8], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma unroll 1
  for (int k = 0; k < 64; ++k)
    w[k] = k < 16 ? in[i * 16 + k]
                  : w[k - 16] + (turn(w[k - 15], 7) ^ turn(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 7] +
                        (turn(w[k - 2], 17) ^ turn(w[k - 2], 19) ^ w[k - 2] >> 10);
  for (int k = 0; k < 8; ++k) s[k] = h[k];
#pragma unroll 1
  for (int k = 0; k < 64; ++k) {
    unsigned t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[k] + w[k];
    unsigned t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int q = 7; q > 0; --q) s[q] = s[q - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = h[k] + s[k];
}

KERNEL sobol_gray(const unsigned* directions, float* out, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
  if (i >= n) return;
  for (unsigned g = i ^ i >> 1; g != 0; g &= g - 1) x ^= directions[__ffs(g) - 1];
  out[i] = x * 0x1p-32f;
}

__constant__ int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
KERNEL lattice_boltzmann(const float* in, float* out, int w, int h, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float f[9], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    f[k] = in[(k * h + (y - cy[k] + h) % h) * w + (x - cx[k] + w) % w];
    rho += f[k], ux += cx[k] * f[k], uy += cy[k] * f[k];
  }
  ux /= rho, uy /= rho;
  for (int k = 0; k < 9; ++k) {
    float cu = 3 * (cx[k] * ux + cy[k] * uy);
    float e = weight[k] * rho * (1 + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
    out[(k * h + y) * w + x] = f[k] + omega * (e - f[k]);
  }
}

__device__ unsigned below(const float* d, const float* e, unsigned n, float x) {
  unsigned count = 0;
  float q = 1;
  for (unsigned i = 0; i < n; ++i) {
    q = d[i] - x - (i ? e[i] * e[i] / q : 0);
    count += q < 0;
  }
  return count;
}
KERNEL eigenvalues(const float* d, const float* e, float* out, unsigned n, float lo, float hi) {
  unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  for (int i = 0; i < 26; ++i) {
    float m = 0.5f * (lo + hi);
    (below(d, e, n, m) > k ? hi : lo) = m;
  }
  out[k] = 0.5f * (lo + hi);
}

KERNEL dct8(float* image, int stride) {
  __shared__ float b[8][9];
  int x = threadIdx.x, y = threadIdx.y;
  float* p = image + (blockIdx.y * 8 + y) * stride + blockIdx.x * 8 + x;
  b[y][x] = *p;
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 8; ++k) s += b[y][k] * cospif((2 * k + 1) * x / 16.0f);
  __syncthreads();
  b[y][x] = s * (x ? 0.5f : 0.35355339f);
  __syncthreads();
  s = 0;
  for (int k = 0; k < 8; ++k) s += b[k][x] * cospif((2 * k + 1) * y / 16.0f);
  *p = s * (y ? 0.5f : 0.35355339f);
}

KERNEL gemm_dp4a(const int* a, const int* b, int* c, int n, int k4) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  if (i >= n || j >= n) return;
  for (int k = 0; k < k4; ++k) s = __dp4a(a[i * k4 + k], b[j * k4 + k], s);
  c[i * n + j] = s;
}

KERNEL bfs_frontier(const int* rows, const int* columns, int* depth, const int* frontier, int n, int* next, int* count, int level) {
  __shared__ int local[64], used, base;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int v = frontier[i];
    for (int e = rows[v]; e < rows[v + 1]; ++e)
      if (atomicCAS(&depth[columns[e]], -1, level) == -1) {
        int at = atomicAdd(&used, 1);
        if (at < 64)
          local[at] = columns[e];
        else
          next[atomicAdd(count, 1)] = columns[e];
      }
  }
  __syncthreads();
  int kept = min(used, 64);
  if (threadIdx.x == 0) base = atomicAdd(count, kept);
  __syncthreads();
  for (int k = threadIdx.x; k < kept; k += blockDim.x) next[base + k] = -local[k] + local[k] + 1;
}

KERNEL spmv_ell(const float* v, const int* c, const float* x, float* y, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < width; ++k) {
    int j = c[k * rows + r];
    if (j >= 0) s = fmaf(v[k * rows + r], x[j], s);
  }
  y[r] = s;
}

__device__ unsigned finished;
KERNEL last_block_sums(const int* in, volatile int* partial, int* out, int n) {
  __shared__ bool last;
  int s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  for (int k = 16; k; k /= 2) s += __shfl_down_sync(~0u, s, k);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int t = 0;
    for (int i = 0; i < gridDim.x; ++i) t += partial[i];
    *out = t;
  }
}

KERNEL lookback_scan(const int* in, int* out, volatile unsigned long long* state, int n) {
  __shared__ int s[64], prefix;
  int b = blockIdx.x, i = b * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  for (int k = 1; k < 64; k *= 2) {
    __syncthreads();
    int t = threadIdx.x >= k ? s[threadIdx.x - k] : 0;
    __syncthreads();
    s[threadIdx.x] += t;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    if (b > 0) {
      state[b] = 1ull << 32 | (unsigned)s[63];
      for (int p = b - 1;; --p) {
        unsigned long long seen;
        while ((seen = state[p]) >> 32 == 0) {}
        sum += (int)(unsigned)seen;
        if (seen >> 32 == 2) break;
      }
    }
    __threadfence();
    state[b] = 2ull << 32 | (unsigned)(sum + s[63]);
    prefix = sum;
  }
  __syncthreads();
  if (i < n) out[i] = prefix + s[threadIdx.x];
}

__device__ void quicksort(int* a, int l, int r) {
  while (l < r) {
    int p = a[(l + r) / 2], i = l, j = r;
    while (i <= j) {
      while (a[i] < p) ++i;
      while (a[j] > p) --j;
      if (i <= j) {
        int t = a[i];
        a[i++] = a[j];
        a[j--] = t;
      }
    }
    if (j - l < r - i) {
      quicksort(a, l, j);
      l = i;
    } else {
      quicksort(a, i, r);
      r = j;
    }
  }
}
KERNEL quicksort_rows(int* a, int n) { quicksort(a + threadIdx.x * n, 0, n - 1); }

struct Body {
  float v[9];
  double scale;
  short tag;
};
__device__ __noinline__ Body reversed(Body b, int by) {
  for (int i = 0; i < 4; ++i) {
    float t = b.v[i];
    b.v[i] = b.v[8 - i];
    b.v[8 - i] = t;
  }
  b.scale *= by;
  b.tag += 3;
  return b;
}
KERNEL pass_by_value(float* out) {
  Body b;
  for (int i = 0; i < 9; ++i) b.v[i] = i + threadIdx.x;
  b.scale = 0.5;
  b.tag = threadIdx.x;
  Body r = reversed(b, 4);
  float s = 0;
  for (int i = 0; i < 9; ++i) s += r.v[i] * i;
  out[threadIdx.x] = s * (float)r.scale + r.tag;
}

struct Ramp {
  float slope;
  int shift;
  double bend;
};
KERNEL structure_argument(Ramp r, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = r.slope * i + r.shift + (float)(r.bend * i * i);
}

KERNEL simd_in_a_word(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = __vadd4(a[i], b[i]) ^ __vabsdiffu4(a[i], b[i]) ^ __vmaxu2(a[i], b[i]) ^ __vcmpgtu4(a[i], b[i]) ^ __vsadu4(a[i], b[i]);
}

KERNEL multiply_128(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
  unsigned __int128 x = (unsigned __int128)a[threadIdx.x] * b[threadIdx.x];
  x += a[0];
  x ^= x >> 17;
  x = x / (b[threadIdx.x] | 1) + x % 1000003;
  out[threadIdx.x * 2] = (unsigned long long)x;
  out[threadIdx.x * 2 + 1] = (unsigned long long)(x >> 64);
}

KERNEL pipeline_stages(const float* in, float* out, int batches) {
  __shared__ float buffer[2][128];
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(block, &state);
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + 2; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % 2], in + fetch * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[compute * 128 + threadIdx.x] = 2 * buffer[compute % 2][(threadIdx.x + 1) % 128];
    pipe.consumer_release();
  }
}

KERNEL wmma_double(const double* a, const double* b, double* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
  wmma::fill_fragment(fc, 1.0);
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

KERNEL cub_scan(const int* in, int* out) {
  typedef cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING> Scan;
  __shared__ typename Scan::TempStorage space;
  int v = in[blockIdx.x * 128 + threadIdx.x];
  Scan(space).ExclusiveSum(v, v);
  out[blockIdx.x * 128 + threadIdx.x] = v;
}

KERNEL cub_sort(int* keys) {
  typedef cub::BlockRadixSort<int, 64, 2, cub::NullType, 4> Sort;
  __shared__ typename Sort::TempStorage space;
  int k[2] = {keys[threadIdx.x * 2], keys[threadIdx.x * 2 + 1]};
  Sort(space).Sort(k, 0, 12);
  keys[threadIdx.x * 2] = k[0];
  keys[threadIdx.x * 2 + 1] = k[1];
}

#else


// FIPS 180-4, appendix B.1: the digest of "abc".
static std::vector<std::uint32_t> padded_abc(int copies) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(16 * copies));
  for (int i = 0; i < copies; ++i) {
    words[static_cast<std::size_t>(16 * i)] = 0x61626380;
    words[static_cast<std::size_t>(16 * i + 15)] = 24;
  }
  return words;
}
SAMPLE(sha256_block, {.grid = {1}, .block = {32}, .arguments = {buffer(padded_abc(20)), zeros<unsigned>(160), value(20)}}) {
  constexpr std::uint32_t kDigest[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  for (int i = 0; i < 160; ++i) data.words(1)[i] = kDigest[i % 8];
}

SAMPLE(sobol_gray, {.grid = {3}, .block = {64}, .arguments = {integers<unsigned>(32, 5, 1ull << 32), zeros<float>(150), value(150)}}) {
  for (unsigned i = 0; i < 150; ++i) {
    unsigned x = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((i ^ i >> 1) >> bit & 1) x ^= data.words(0)[bit];
    data.floats(1)[i] = static_cast<float>(x) * 0x1p-32f;
  }
}

SAMPLE(lattice_boltzmann, {.grid = {2, 9}, .block = {32}, .arguments = {floats(9 * 40 * 9, 7, 0.25f, 1.0f), zeros<float>(9 * 40 * 9), value(40), value(9), value(0.75f)}, .tolerance = 1e-5}) {
  const int x_of[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, y_of[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 40; ++x) {
      double f[9], rho = 0, ux = 0, uy = 0;
      for (int k = 0; k < 9; ++k) {
        f[k] = static_cast<double>(data.floats(0)[(k * 9 + (y - y_of[k] + 9) % 9) * 40 + (x - x_of[k] + 40) % 40]);
        rho += f[k], ux += x_of[k] * f[k], uy += y_of[k] * f[k];
      }
      ux /= rho, uy /= rho;
      for (int k = 0; k < 9; ++k) {
        const double cu = 3 * (x_of[k] * ux + y_of[k] * uy), w = k == 0 ? 4. / 9 : k < 5 ? 1. / 9 : 1. / 36;
        const double e = w * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
        data.floats(1)[(k * 9 + y) * 40 + x] = static_cast<float>(f[k] + 0.75 * (e - f[k]));
      }
    }
  }
}

// The second difference operator: its eigenvalues are 2 - 2 cos(k pi / (n + 1)).
SAMPLE(eigenvalues, {.grid = {1}, .block = {32}, .arguments = {buffer(std::vector<float>(20, 2.0f)), buffer(std::vector<float>(20, -1.0f)), zeros<float>(20), value(20), value(-1.0f), value(5.0f)}, .tolerance = 1e-5}) {
  for (int k = 0; k < 20; ++k) data.floats(2)[k] = static_cast<float>(2 - 2 * std::cos((k + 1) * M_PI / 21));
}

SAMPLE(dct8, {.grid = {2, 1}, .block = {8, 8}, .arguments = {floats(128, 3, 100), value(16)}, .tolerance = 1e-4}) {
  std::vector<double> in(128), rows(128);
  for (int i = 0; i < 128; ++i) in[static_cast<std::size_t>(i)] = static_cast<double>(data.floats(0)[i]);
  const auto term = [](int k, int x) { return (x != 0 ? 0.5 : std::sqrt(0.125)) * std::cos((2 * k + 1) * x * M_PI / 16); };
  for (int block = 0; block < 2; ++block)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        double s = 0;
        for (int j = 0; j < 8; ++j)
          for (int i = 0; i < 8; ++i) s += in[static_cast<std::size_t>(j * 16 + block * 8 + i)] * term(i, x) * term(j, y);
        data.floats(0)[y * 16 + block * 8 + x] = static_cast<float>(s);
      }
}

SAMPLE(gemm_dp4a, {.grid = {2, 2}, .block = {8, 8}, .arguments = {integers(12 * 5, 1, 1ull << 32), integers(12 * 5, 2, 1ull << 32), zeros<int>(144), value(12), value(5)}}) {
  const auto *a = data.as<std::int8_t>(0), *b = data.as<std::int8_t>(1);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      int s = 0;
      for (int k = 0; k < 20; ++k) s += a[i * 20 + k] * b[j * 20 + k];
      data.ints(2)[i * 12 + j] = s;
    }
}

// A circle of 200 vertices with chords of 7; the frontier holds every fourth. What is new is counted, its order is not.
static std::vector<int> circle_edges() {
  std::vector<int> edges;
  for (int v = 0; v < 200; ++v) edges.insert(edges.end(), {(v + 1) % 200, (v + 7) % 200});
  return edges;
}
static std::vector<int> steps(int count, int step) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) out.push_back(i * step);
  return out;
}
static std::vector<int> circle_depths() {
  std::vector<int> out(200, -1);
  for (std::size_t v = 0; v < 200; v += 4) out[v] = 0;
  return out;
}
SAMPLE(bfs_frontier, {.grid = {2}, .block = {32}, .arguments = {buffer(steps(201, 2)), buffer(circle_edges()), buffer(circle_depths()), buffer(steps(50, 4)), value(50), zeros<int>(200), zeros<int>(1), value(1)}}) {
  int found = 0;
  for (int v = 0; v < 200; v += 4)
    for (const int u : {(v + 1) % 200, (v + 7) % 200})
      if (data.ints(2)[u] == -1) data.ints(2)[u] = 1, ++found;
  data.ints(6)[0] = found;
  for (int i = 0; i < found; ++i) data.ints(5)[i] = 1;
}

static std::vector<int> ell_columns() {
  std::vector<int> out;
  for (int k = 0; k < 4; ++k)
    for (int r = 0; r < 50; ++r) out.push_back(r % 5 < k ? -1 : (r * 7 + k * 13) % 50);
  return out;
}
SAMPLE(spmv_ell, {.grid = {2}, .block = {32}, .arguments = {floats(200, 1), buffer(ell_columns()), floats(50, 2), zeros<float>(50), value(50), value(4)}, .tolerance = 1e-6}) {
  for (int r = 0; r < 50; ++r) {
    double s = 0;
    for (int k = 0; k < 4; ++k)
      if (const int j = data.ints(1)[k * 50 + r]; j >= 0) s += static_cast<double>(data.floats(0)[k * 50 + r]) * static_cast<double>(data.floats(2)[j]);
    data.floats(3)[r] = static_cast<float>(s);
  }
}

SAMPLE(last_block_sums, {.grid = {5}, .block = {32}, .arguments = {integers(1000, 9, 1000), zeros<int>(5), zeros<int>(1), value(1000)}}) {
  for (int i = 0; i < 1000; ++i) {
    data.ints(1)[i / 32 % 5] += data.ints(0)[i];
    data.ints(2)[0] += data.ints(0)[i];
  }
}

SAMPLE(lookback_scan, {.grid = {6}, .block = {64}, .arguments = {integers(370, 4, 100), zeros<int>(370), zeros<std::uint64_t>(6), value(370)}, .races = true}) {
  int sum = 0;
  for (int i = 0; i < 370; ++i) data.ints(1)[i] = sum += data.ints(0)[i];
  for (std::uint64_t b = 0; b < 6; ++b) data.as<std::uint64_t>(2)[b] = 2ull << 32 | static_cast<std::uint64_t>(data.ints(1)[std::min<std::uint64_t>(b * 64 + 63, 369)]);
}

SAMPLE(quicksort_rows, {.grid = {1}, .block = {32}, .arguments = {integers(32 * 40, 6, 500), value(40)}}) {
  for (int r = 0; r < 32; ++r) std::sort(data.ints(0) + r * 40, data.ints(0) + (r + 1) * 40);
}

SAMPLE(pass_by_value, {.grid = {1}, .block = {48}, .arguments = {zeros<float>(48)}}) {
  for (int t = 0; t < 48; ++t) {
    float s = 0;
    for (int i = 0; i < 9; ++i) s += static_cast<float>((8 - i + t) * i);
    data.floats(0)[t] = s * 2 + static_cast<float>(t + 3);
  }
}

SAMPLE(structure_argument, {.grid = {2}, .block = {32}, .arguments = {structure("struct:f32:0.5,i32:7,f64:0.25"), zeros<float>(50), value(50)}}) {
  for (int i = 0; i < 50; ++i) data.floats(1)[i] = 0.5f * static_cast<float>(i) + 7 + 0.25f * static_cast<float>(i * i);
}

SAMPLE(simd_in_a_word, {.grid = {1}, .block = {64}, .arguments = {integers<unsigned>(64, 1, 1ull << 32), integers<unsigned>(64, 2, 1ull << 32), zeros<unsigned>(64), value(64)}}) {
  for (int i = 0; i < 64; ++i) {
    unsigned sum = 0, difference = 0, larger = 0, above = 0, total = 0;
    for (int k = 0; k < 32; k += 8) {
      const unsigned a = data.words(0)[i] >> k & 255, b = data.words(1)[i] >> k & 255, d = a > b ? a - b : b - a;
      sum |= ((a + b) & 255) << k, difference |= d << k, above |= (a > b ? 255u : 0u) << k, total += d;
    }
    for (int k = 0; k < 32; k += 16) larger |= std::max(data.words(0)[i] >> k & 0xffff, data.words(1)[i] >> k & 0xffff) << k;
    data.words(2)[i] = sum ^ difference ^ larger ^ above ^ total;
  }
}

__extension__ typedef unsigned __int128 Wide;
SAMPLE(multiply_128, {.grid = {1}, .block = {32}, .arguments = {integers<std::uint64_t>(32, 1, ~0ull), integers<std::uint64_t>(32, 2, ~0ull), zeros<std::uint64_t>(64)}}) {
  const auto *a = data.as<std::uint64_t>(0), *b = data.as<std::uint64_t>(1);
  for (int i = 0; i < 32; ++i) {
    Wide x = Wide(a[i]) * b[i];
    x += a[0];
    x ^= x >> 17;
    x = x / (b[i] | 1) + x % 1000003;
    data.as<std::uint64_t>(2)[i * 2] = static_cast<std::uint64_t>(x);
    data.as<std::uint64_t>(2)[i * 2 + 1] = static_cast<std::uint64_t>(x >> 64);
  }
}

SAMPLE(pipeline_stages, {.grid = {1}, .block = {128}, .arguments = {floats(640, 8), zeros<float>(640), value(5)}}) {
  for (int i = 0; i < 640; ++i) data.floats(1)[i] = 2 * data.floats(0)[i / 128 * 128 + (i + 1) % 128];
}

SAMPLE(wmma_double, {.grid = {1}, .block = {32}, .arguments = {doubles(32, 1), doubles(32, 2), zeros<double>(64)}, .tolerance = 1e-12}) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      double s = 1;
      for (int k = 0; k < 4; ++k) s += data.doubles(0)[i * 4 + k] * data.doubles(1)[j * 4 + k];
      data.doubles(2)[i * 8 + j] = s;
    }
}

SAMPLE(cub_scan, {.grid = {2}, .block = {128}, .arguments = {integers(256, 3, 1000), zeros<int>(256)}}) {
  for (int b = 0; b < 2; ++b) std::exclusive_scan(data.ints(0) + b * 128, data.ints(0) + b * 128 + 128, data.ints(1) + b * 128, 0);
}

SAMPLE(cub_sort, {.grid = {1}, .block = {64}, .arguments = {integers(128, 3, 4096)}}) {
  std::sort(data.ints(0), data.ints(0) + 128);
}
#endif
