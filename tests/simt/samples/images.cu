// Images, stencils, graphs and other grids.
#ifdef __CUDACC__
#include <cuda_runtime.h>

__constant__ float kGauss[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__global__ void blur_rows(const float* in, float* out, int w, int h) {
  __shared__ float s[8][32 + 4];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int k = threadIdx.x; k < 36; k += 32) {
    int sx = min(max((int)(blockIdx.x * 32 + k - 2), 0), w - 1);
    s[threadIdx.y][k] = y < h ? in[y * w + sx] : 0;
  }
  __syncthreads();
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 5; ++k) sum += kGauss[k] * s[threadIdx.y][threadIdx.x + k];
  out[y * w + x] = sum;
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  auto at = [&](int dx, int dy) { return (int)in[(y + dy) * w + x + dx]; };
  int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  out[y * w + x] = min(255, abs(gx) + abs(gy));
}

__global__ void grey(const uchar4* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = in[i];
  out[i] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}

__global__ void median3(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned char v[9];
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int sx = min(max(x + dx, 0), w - 1), sy = min(max(y + dy, 0), h - 1);
      unsigned char p = in[sy * w + sx];
      int k = n++;
      while (k > 0 && v[k - 1] > p) {
        v[k] = v[k - 1];
        --k;
      }
      v[k] = p;
    }
  out[y * w + x] = v[4];
}

__global__ void transpose_padded(const float* in, float* out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < h && y + k < w) out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void bilinear(const float* in, float* out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = fmaxf((x + 0.5f) * w / ow - 0.5f, 0.0f), fy = fmaxf((y + 0.5f) * h / oh - 0.5f, 0.0f);
  int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
  int x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
  float ax = fx - x0, ay = fy - y0;
  float top = in[y0 * w + x0] * (1 - ax) + in[y0 * w + x1] * ax;
  float bottom = in[y1 * w + x0] * (1 - ax) + in[y1 * w + x1] * ax;
  out[y * ow + x] = top * (1 - ay) + bottom * ay;
}

__global__ void game_of_life(const unsigned char* in, unsigned char* out, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  int x = i % w, y = i / w, alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx | dy) alive += in[(y + dy + h) % h * w + (x + dx + w) % w];
  out[i] = alive == 3 || (alive == 2 && in[i]);
}

__global__ void dither(const float* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char bayer[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
  bool on = i < n && in[i] * 16 > bayer[i & 15];
  unsigned word = __ballot_sync(0xffffffffu, on);
  if ((threadIdx.x & 31) == 0) out[i / 32] = word;
}

__global__ void bfs_level(const int* first, const int* edges, int* level, int depth, int* changed, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = first[v]; e < first[v + 1]; ++e)
    if (atomicCAS(&level[edges[e]], -1, depth + 1) == -1) *changed = 1;
}

__global__ void page_rank(const int* first, const int* edges, const float* rank, const int* degree, float* next, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float sum = 0;
  for (int e = first[v]; e < first[v + 1]; e++) {
    int u = edges[e];
    sum += rank[u] / degree[u];
  }
  next[v] = 0.15f / n + 0.85f * sum;
}

__global__ void floyd_step(int* d, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n || i == k || j == k) return;
  d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}

__global__ void spmv_csr(const int* first, const int* columns, const double* values, const double* x, double* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int k = first[row] + lane; k < first[row + 1]; k += 32) sum += values[k] * x[columns[k]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

__global__ void kmeans_assign(const float2* points, const float2* centres, int* owner, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float best = INFINITY;
  for (int c = 0; c < k; ++c) {
    float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y, d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      owner[i] = c;
    }
  }
}

__global__ void heat3d(const float* in, float* out, int n) {
  int x = threadIdx.x, y = threadIdx.y + blockIdx.x * blockDim.y, z = blockIdx.y;
  if (x >= n || y >= n || z >= n) return;
  int i = (z * n + y) * n + x;
  float c = in[i];
  float sum = (x ? in[i - 1] : c) + (x < n - 1 ? in[i + 1] : c) + (y ? in[i - n] : c) + (y < n - 1 ? in[i + n] : c) +
              (z ? in[i - n * n] : c) + (z < n - 1 ? in[i + n * n] : c);
  out[i] = c + 0.1f * (sum - 6 * c);
}

__global__ void collatz(const unsigned* in, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i] + 1ull;
  int s = 0;
  while (v != 1) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    ++s;
  }
  steps[i] = s;
}

__global__ void queens(const int n, int* solutions) {
  // Column of the first queen from the thread; the rest by a stack of masks.
  int first = threadIdx.x;
  if (first >= n) return;
  unsigned all = (1u << n) - 1, cols[16], left[16], right[16], open[16];
  int depth = 0, found = 0;
  unsigned bit = 1u << first;
  cols[0] = bit;
  left[0] = bit << 1;
  right[0] = bit >> 1;
  open[0] = all & ~(cols[0] | left[0] | right[0]);
  while (depth >= 0) {
    if (open[depth] == 0) {
      --depth;
      continue;
    }
    unsigned b = open[depth] & -open[depth];
    open[depth] ^= b;
    if (depth == n - 2) {
      ++found;
      continue;
    }
    cols[depth + 1] = cols[depth] | b;
    left[depth + 1] = (left[depth] | b) << 1;
    right[depth + 1] = (right[depth] | b) >> 1;
    ++depth;
    open[depth] = all & ~(cols[depth] | left[depth] | right[depth]);
  }
  atomicAdd(solutions, found);
}

__device__ unsigned gcd(unsigned a, unsigned b) { return b == 0 ? a : gcd(b, a % b); }
__global__ void coprime_pairs(int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = i / n + 1, b = i % n + 1;
  if (i < n * n && gcd(a, b) == 1) atomicAdd(count, 1);
}

__global__ void run_lengths(const int* in, int* starts, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool start = i < n && (i == 0 || in[i] != in[i - 1]);
  unsigned votes = __ballot_sync(0xffffffffu, start);
  if (start) starts[i] = 1;
  if ((threadIdx.x & 31) == 0 && votes) atomicAdd(count, __popc(votes));
}
#else
static int clamp_to(int x, int high) { return std::clamp(x, 0, high); }
SAMPLE(blur_rows, {.grid = {2, 3}, .block = {32, 8}, .arguments = {floats(50 * 20, 1), zeros<float>(50 * 20), value(50), value(20)}, .tolerance = 1e-6}) {
  const float g[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  for (int i = 0; i < 1000; ++i)
    for (int k = 0; k < 5; ++k) data.floats(1)[i] += g[k] * data.floats(0)[i / 50 * 50 + clamp_to(i % 50 + k - 2, 49)];
}
SAMPLE(sobel, {.grid = {3, 3}, .block = {16, 16}, .arguments = {integers<unsigned char>(40 * 40, 2, 256), zeros<unsigned char>(1600), value(40), value(40)}}) {
  for (int y = 1; y < 39; ++y)
    for (int x = 1; x < 39; ++x) {
      const auto at = [&](int dx, int dy) { return int{data.as<unsigned char>(0)[(y + dy) * 40 + x + dx]}; };
      const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      data.as<unsigned char>(1)[y * 40 + x] = static_cast<unsigned char>(std::min(255, std::abs(gx) + std::abs(gy)));
    }
}
SAMPLE(grey, {.grid = {2}, .block = {128}, .arguments = {integers<unsigned char>(800, 3, 256), zeros<unsigned char>(200), value(200)}}) {
  for (int i = 0; i < 200; ++i) {
    const unsigned char* p = data.as<unsigned char>(0) + 4 * i;
    data.as<unsigned char>(1)[i] = static_cast<unsigned char>((p[0] * 77 + p[1] * 150 + p[2] * 29) >> 8);
  }
}
SAMPLE(median3, {.grid = {2, 2}, .block = {16, 16}, .arguments = {integers<unsigned char>(900, 4, 256), zeros<unsigned char>(900), value(30), value(30)}}) {
  for (int i = 0; i < 900; ++i) {
    std::vector<unsigned char> v;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) v.push_back(data.as<unsigned char>(0)[clamp_to(i / 30 + dy, 29) * 30 + clamp_to(i % 30 + dx, 29)]);
    std::sort(v.begin(), v.end());
    data.as<unsigned char>(1)[i] = v[4];
  }
}
SAMPLE(transpose_padded, {.grid = {2, 3}, .block = {32, 8}, .arguments = {floats(50 * 70, 5), zeros<float>(50 * 70), value(50), value(70)}}) {
  for (int i = 0; i < 3500; ++i) data.floats(1)[i % 50 * 70 + i / 50] = data.floats(0)[i];
}
SAMPLE(bilinear, {.grid = {3, 3}, .block = {16, 16}, .arguments = {floats(400, 6), zeros<float>(45 * 45), value(20), value(20), value(45), value(45)}, .tolerance = 1e-5}) {
  const float* in = data.floats(0);
  for (int i = 0; i < 45 * 45; ++i) {
    const double fx = std::max((i % 45 + 0.5) * 20 / 45 - 0.5, 0.0), fy = std::max((i / 45 + 0.5) * 20 / 45 - 0.5, 0.0);
    const int x = static_cast<int>(fx), y = static_cast<int>(fy), x1 = std::min(x + 1, 19), y1 = std::min(y + 1, 19);
    const double ax = fx - x, ay = fy - y;
    const auto at = [&](int px, int py) { return static_cast<double>(in[py * 20 + px]); };
    data.floats(1)[i] = static_cast<float>((at(x, y) * (1 - ax) + at(x1, y) * ax) * (1 - ay) + (at(x, y1) * (1 - ax) + at(x1, y1) * ax) * ay);
  }
}
SAMPLE(game_of_life, {.grid = {4}, .block = {128}, .arguments = {integers<unsigned char>(500, 7, 2), zeros<unsigned char>(500), value(25), value(20)}}) {
  for (int i = 0; i < 500; ++i) {
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (dx != 0 || dy != 0) alive += data.as<unsigned char>(0)[(i / 25 + dy + 20) % 20 * 25 + (i % 25 + dx + 25) % 25];
    data.as<unsigned char>(1)[i] = alive == 3 || (alive == 2 && data.as<unsigned char>(0)[i] != 0);
  }
}
SAMPLE(dither, {.grid = {2}, .block = {128}, .arguments = {floats(256, 8, 0.5f, 0.5f), zeros<unsigned>(8), value(250)}}) {
  const int bayer[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
  for (int i = 0; i < 250; ++i)
    if (data.floats(0)[i] * 16 > static_cast<float>(bayer[i & 15])) data.words(1)[i / 32] |= 1u << (i % 32);
}
// A ring with chords: vertex v leads to v + 1 and v + 7.
static Argument ring_first(int n) {
  std::vector<int> first(static_cast<std::size_t>(n + 1));
  for (int v = 0; v <= n; ++v) first[static_cast<std::size_t>(v)] = 2 * v;
  return buffer(first);
}
static Argument ring_edges(int n) {
  std::vector<int> edges;
  for (int v = 0; v < n; ++v) {
    edges.push_back((v + 1) % n);
    edges.push_back((v + 7) % n);
  }
  return buffer(edges);
}
static Argument levels(int n) {
  std::vector<int> level(static_cast<std::size_t>(n), -1);
  for (int v = 0; v < n; v += 10) level[static_cast<std::size_t>(v)] = 0;
  return buffer(level);
}
SAMPLE(bfs_level, {.grid = {2}, .block = {64}, .arguments = {ring_first(100), ring_edges(100), levels(100), value(0), zeros<int>(1), value(100)}, .races = true}) {
  for (int v = 0; v < 100; v += 10) {
    data.ints(2)[(v + 1) % 100] = 1;
    data.ints(2)[(v + 7) % 100] = 1;
  }
  data.ints(4)[0] = 1;
}
SAMPLE(page_rank, {.grid = {2}, .block = {64}, .arguments = {ring_first(100), ring_edges(100), floats(100, 9, 0.01f, 0.02f), integers(100, 10, 1), zeros<float>(100), value(100)}, .tolerance = 1e-6}) {
  // Degrees of zero: quotients are infinite, as IEEE arithmetic says.
  for (int v = 0; v < 100; ++v) data.floats(4)[v] = INFINITY;
}
SAMPLE(floyd_step, {.grid = {2, 2}, .block = {16, 16}, .arguments = {integers(900, 11, 1000), value(30), value(4)}}) {
  int* d = data.ints(0);
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 30; ++j)
      if (i != 4 && j != 4) d[i * 30 + j] = std::min(d[i * 30 + j], d[i * 30 + 4] + d[4 * 30 + j]);
}
SAMPLE(spmv_csr, {.grid = {2}, .block = {128}, .arguments = {ring_first(8), ring_edges(8), doubles(16, 12), doubles(8, 13), zeros<double>(8), value(8)}, .tolerance = 1e-14}) {
  for (int e = 0; e < 16; ++e) data.doubles(4)[e / 2] += data.doubles(2)[e] * data.doubles(3)[data.ints(1)[e]];
}
SAMPLE(kmeans_assign, {.grid = {2}, .block = {128}, .arguments = {floats(400, 14), floats(14, 15), zeros<int>(200), value(200), value(7)}}) {
  for (int i = 0; i < 200; ++i) {
    double best = 1e30;
    for (int c = 0; c < 7; ++c) {
      const double dx = static_cast<double>(data.floats(0)[2 * i] - data.floats(1)[2 * c]), dy = static_cast<double>(data.floats(0)[2 * i + 1] - data.floats(1)[2 * c + 1]);
      if (dx * dx + dy * dy < best) {
        best = dx * dx + dy * dy;
        data.ints(2)[i] = c;
      }
    }
  }
}
SAMPLE(heat3d, {.grid = {3, 12}, .block = {12, 4}, .arguments = {floats(1728, 16), zeros<float>(1728), value(12)}, .tolerance = 1e-5}) {
  const float* in = data.floats(0);
  const int step[3] = {1, 12, 144};
  for (int i = 0; i < 1728; ++i) {
    const int place[3] = {i % 12, i / 12 % 12, i / 144};
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      sum += static_cast<double>(in[place[k] > 0 ? i - step[k] : i]) + static_cast<double>(in[place[k] < 11 ? i + step[k] : i]);
    }
    const auto c = static_cast<double>(in[i]);
    data.floats(1)[i] = static_cast<float>(c + 0.1 * (sum - 6 * c));
  }
}
SAMPLE(collatz, {.grid = {2}, .block = {64}, .arguments = {integers<unsigned>(100, 17, 100000), zeros<int>(100), value(100)}}) {
  for (int i = 0; i < 100; ++i)
    for (unsigned long long v = data.words(0)[i] + 1ull; v != 1; ++data.ints(1)[i]) v = (v & 1) != 0 ? 3 * v + 1 : v / 2;
}
SAMPLE(queens, {.block = {32}, .arguments = {value(7), zeros<int>(1)}}) { data.ints(1)[0] = 40; }
SAMPLE(coprime_pairs, {.grid = {4}, .block = {128}, .arguments = {zeros<int>(1), value(20)}}) {
  for (int a = 1; a <= 20; ++a)
    for (int b = 1; b <= 20; ++b) data.ints(0)[0] += std::gcd(a, b) == 1;
}
SAMPLE(run_lengths, {.grid = {2}, .block = {128}, .arguments = {integers(200, 18, 2), zeros<int>(200), zeros<int>(1), value(200)}}) {
  for (int i = 0; i < 200; ++i) {
    const int start = i == 0 || data.ints(0)[i] != data.ints(0)[i - 1];
    data.ints(1)[i] = start;
    data.ints(2)[0] += start;
  }
}
#endif
