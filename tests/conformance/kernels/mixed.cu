// What courses and posts show: vectors, tiles, images, text, sparse rows, random numbers; in odd shapes.
#include <cuda_fp16.h>

__global__ void quad_first_and_third(const float4* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i];
  out[i] = 2.f * v.x - v.z;
}

__global__ void quad_colour_strided(const float4* pixels, float* grey, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float4 p = pixels[i];
    grey[i] = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
  }
}

__global__ void quad_last_only(const float4* in, float2* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) out[i] = make_float2(in[i].w, in[n - 1 - i].y);
}

// C = A * B with 4 x 4 results a thread, tiles of 32 x 32 and 8 steps of depth.
template <int kRows, int kColumns, int kDepth>
__global__ void gemm_results_per_thread(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[kDepth][kRows * 8];
  __shared__ float bs[kDepth][kColumns * 8];
  int row0 = blockIdx.y * kRows * 8, column0 = blockIdx.x * kColumns * 8;
  int tid = threadIdx.y * 8 + threadIdx.x;
  float sum[kRows][kColumns] = {};
  for (int k0 = 0; k0 < k; k0 += kDepth) {
    for (int e = tid; e < kDepth * kRows * 8; e += 64) {
      int r = e / kDepth, d = e % kDepth;
      as[d][r] = row0 + r < m && k0 + d < k ? a[(row0 + r) * k + k0 + d] : 0.f;
    }
    for (int e = tid; e < kDepth * kColumns * 8; e += 64) {
      int d = e / (kColumns * 8), q = e % (kColumns * 8);
      bs[d][q] = column0 + q < n && k0 + d < k ? b[(k0 + d) * n + column0 + q] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDepth; d++) {
      float left[kRows], right[kColumns];
#pragma unroll
      for (int r = 0; r < kRows; r++) left[r] = as[d][threadIdx.y * kRows + r];
#pragma unroll
      for (int q = 0; q < kColumns; q++) right[q] = bs[d][threadIdx.x * kColumns + q];
#pragma unroll
      for (int r = 0; r < kRows; r++)
#pragma unroll
        for (int q = 0; q < kColumns; q++) sum[r][q] += left[r] * right[q];
    }
    __syncthreads();
  }
  for (int r = 0; r < kRows; r++)
    for (int q = 0; q < kColumns; q++) {
      int y = row0 + threadIdx.y * kRows + r, x = column0 + threadIdx.x * kColumns + q;
      if (y < m && x < n) c[y * n + x] = sum[r][q];
    }
}
template __global__ void gemm_results_per_thread<4, 4, 8>(const float*, const float*, float*, int, int, int);
template __global__ void gemm_results_per_thread<2, 6, 5>(const float*, const float*, float*, int, int, int);

__global__ void gemm_two_columns(const float* a, const float* b, float* c, int m, int n, int k) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= m || x >= n) return;
  float s0 = 0.f, s1 = 0.f;
  for (int i = 0; i < k; i++) {
    float2 v = *reinterpret_cast<const float2*>(b + i * n + x);
    s0 += a[y * k + i] * v.x;
    s1 += a[y * k + i] * v.y;
  }
  *reinterpret_cast<float2*>(c + y * n + x) = make_float2(s0, s1);
}

// Reads the left matrix four at a time, but uses three rows of every four.
__global__ void gemm_quads_skip_fourth(const float4* a, const float* b, float* c, int m, int quads, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= m) return;
  float s = 0.f;
  for (int q = 0; q < quads; q++) {
    float4 v = a[y * quads + q];
    s = fmaf(v.x, b[(q * 3) * n + x], s);
    s = fmaf(v.y, b[(q * 3 + 1) * n + x], s);
    s = fmaf(v.z, b[(q * 3 + 2) * n + x], s);
  }
  c[y * n + x] = s;
}

__global__ void tree_max_any_block(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : -2147483647;
  __syncthreads();
  for (int size = blockDim.x; size > 1;) {
    int half = (size + 1) / 2;
    if (t < half && t + half < size) s[t] = max(s[t], s[t + half]);
    __syncthreads();
    size = half;
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void mean_and_range_1000(const float* in, float3* out, int n) {
  __shared__ float sums[32], lows[32], highs[32];
  float sum = 0.f, low = 1e30f, high = -1e30f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = in[i];
    sum += v;
    low = fminf(low, v);
    high = fmaxf(high, v);
  }
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int lanes = min(32, (int)blockDim.x - warp * 32);
  unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
  for (int o = 16; o > 0; o >>= 1) {
    int from = min(lane + o, lanes - 1);
    float s = __shfl_sync(mask, sum, from), l = __shfl_sync(mask, low, from),
          h = __shfl_sync(mask, high, from);
    if (lane + o < lanes) sum += s, low = fminf(low, l), high = fmaxf(high, h);
  }
  if (lane == 0) sums[warp] = sum, lows[warp] = low, highs[warp] = high;
  __syncthreads();
  if (threadIdx.x == 0) {
    int warps = (blockDim.x + 31) / 32;
    for (int w = 1; w < warps; w++) {
      sum += sums[w];
      low = fminf(low, lows[w]);
      high = fmaxf(high, highs[w]);
    }
    out[blockIdx.x] = make_float3(sum / n, low, high);
  }
}

__global__ void scan_three_warps(const int* in, int* out, int n) {
  __shared__ int totals[3];
  int t = threadIdx.x, i = blockIdx.x * 96 + t, lane = t & 31;
  int own = i < n ? in[i] : 0, v = own;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    int up = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += up;
  }
  if (lane == 31) totals[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; w++) v += totals[w];
  if (i < n) out[i] = v - own;
}

__global__ void channel_histograms(const uchar3* image, unsigned* bins, int n) {
  __shared__ unsigned s[3][17];
  for (int e = threadIdx.x; e < 51; e += blockDim.x) s[e / 17][e % 17] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uchar3 p = image[i];
    atomicAdd(&s[0][p.x >> 4], 1u);
    atomicAdd(&s[1][p.y >> 4], 1u);
    atomicAdd(&s[2][p.z >> 4], 1u);
  }
  __syncthreads();
  for (int e = threadIdx.x; e < 48; e += blockDim.x)
    if (s[e / 16][e % 16]) atomicAdd(&bins[e], s[e / 16][e % 16]);
}

__global__ void transpose_of_halves(const __half* in, __half* out, int width, int height) {
  __shared__ __half tile[32][34];
  int x = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int y = blockIdx.y * 32 + j;
    if (x < width && y < height) tile[j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  int ox = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += blockDim.y) {
    int oy = blockIdx.x * 32 + j;
    if (ox < height && oy < width) out[oy * height + ox] = tile[threadIdx.x][j];
  }
}

__global__ void star_of_radius_3(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 3 || y < 3 || x >= width - 3 || y >= height - 3) return;
  float v = -4.f * in[y * width + x];
#pragma unroll
  for (int r = 1; r <= 3; r++)
    v += (in[y * width + x - r] + in[y * width + x + r] + in[(y - r) * width + x] + in[(y + r) * width + x]) /
         (r * r);
  out[y * width + x] = v;
}

__constant__ float kSharp[25] = {0.f, -.1f, -.2f, -.1f, 0.f, -.1f, .3f,  .4f, .3f,  -.1f, -.2f, .4f, 1.f,
                                 .4f, -.2f, -.1f, .3f,  .4f, .3f,  -.1f, 0.f, -.1f, -.2f, -.1f, 0.f};

__global__ void mask_5x5_wrapped(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float v = 0.f;
  for (int dy = 0; dy < 5; dy++)
    for (int dx = 0; dx < 5; dx++) {
      int sx = (x + dx - 2 + width) % width, sy = (y + dy - 2 + height) % height;
      v += kSharp[dy * 5 + dx] * in[sy * width + sx];
    }
  out[y * width + x] = (unsigned char)fminf(fmaxf(v, 0.f), 255.f);
}

__global__ void log_softmax_200(const float* in, float* out, int columns) {
  __shared__ float s[256];
  const float* row = in + blockIdx.x * columns;
  int t = threadIdx.x;
  float high = -1e30f;
  for (int c = t; c < columns; c += blockDim.x) high = fmaxf(high, row[c]);
  s[t] = high;
  if (t + blockDim.x < 256) s[t + blockDim.x] = -1e30f;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (t < o) s[t] = fmaxf(s[t], s[t + o]);
    __syncthreads();
  }
  high = s[0];
  __syncthreads();
  float sum = 0.f;
  for (int c = t; c < columns; c += blockDim.x) sum += __expf(row[c] - high);
  s[t] = sum;
  if (t + blockDim.x < 256) s[t + blockDim.x] = 0.f;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  float l = __logf(s[0]);
  for (int c = t; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = row[c] - high - l;
}

__global__ void instance_norm_planes(const float* in, const float2* scale, float* out, int pixels,
                                     int channels) {
  __shared__ float part[2][3];
  int plane = blockIdx.y * channels + blockIdx.x;
  float s = 0.f, q = 0.f;
  for (int i = threadIdx.x; i < pixels; i += 96) {
    float v = in[plane * pixels + i];
    s += v;
    q += v * v;
  }
  for (int o = 16; o; o >>= 1) {
    s += __shfl_xor_sync(0xffffffffu, s, o);
    q += __shfl_xor_sync(0xffffffffu, q, o);
  }
  if ((threadIdx.x & 31) == 0) part[0][threadIdx.x >> 5] = s, part[1][threadIdx.x >> 5] = q;
  __syncthreads();
  s = (part[0][0] + part[0][1] + part[0][2]) / pixels;
  q = (part[1][0] + part[1][1] + part[1][2]) / pixels - s * s;
  float2 g = scale[blockIdx.x];
  float f = g.x * rsqrtf(q + 1e-5f);
  for (int i = threadIdx.x; i < pixels; i += 96)
    out[plane * pixels + i] = (in[plane * pixels + i] - s) * f + g.y;
}

// Rows of at most `width` entries, `length[row]` of them used; four lanes a row.
__global__ void four_lanes_a_row(const int* length, const int* column, const float* value, const float* x,
                                 float* y, int rows, int width) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, part = threadIdx.x % 4;
  float s = 0.f;
  if (row < rows)
    for (int e = part; e < length[row]; e += 4) s += value[row * width + e] * x[column[row * width + e]];
  s += __shfl_xor_sync(~0u, s, 1);
  s += __shfl_xor_sync(~0u, s, 2);
  if (row < rows && part == 0) y[row] = s;
}

__global__ void lowest_label_of_edges(const int2* edges, const int* label, int* next, int count) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  int2 ends = edges[e];
  int a = label[ends.x], b = label[ends.y];
  if (a < b)
    atomicMin(&next[ends.y], a);
  else if (b < a)
    atomicMin(&next[ends.x], b);
}

__global__ void gnome_sort_columns(short* data, int length) {
  extern __shared__ short keys[];
  int t = threadIdx.x, width = blockDim.x;
  for (int i = 0; i < length; i++) keys[i * width + t] = data[(blockIdx.x * length + i) * width + t];
  int i = 1;
  while (i < length) {
    if (i == 0 || keys[(i - 1) * width + t] <= keys[i * width + t]) {
      i++;
    } else {
      short held = keys[i * width + t];
      keys[i * width + t] = keys[(i - 1) * width + t];
      keys[--i * width + t] = held;
    }
  }
  for (int k = 0; k < length; k++) data[(blockIdx.x * length + k) * width + t] = keys[k * width + t];
}

__global__ void capital_after_space(const char* in, char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char c = in[i];
  bool starts = i == 0 || in[i - 1] % 8 == 0;
  out[i] = starts && c >= 'a' && c <= 'z' ? c - 32 : c;
}

__global__ void hash_of_records(const unsigned char* data, unsigned* out, int records, int bytes) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= records) return;
  unsigned h = 5381;
  for (int i = 0; i < bytes; i++) h = h * 33 ^ data[r * bytes + i];
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  out[r] = h;
}

__global__ void pcg_dice(const unsigned long long* seed, int* faces, int n, int throws) {
  __shared__ int count[6];
  if (threadIdx.x < 6) count[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned long long state = seed[i];
    for (int t = 0; t < throws; t++) {
      unsigned long long old = state;
      state = old * 6364136223846793005ull + 1442695040888963407ull;
      unsigned mixed = (unsigned)(((old >> 18) ^ old) >> 27), turn = (unsigned)(old >> 59);
      mixed = __funnelshift_r(mixed, mixed, turn);
      atomicAdd(&count[mixed % 6], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < 6) atomicAdd(&faces[threadIdx.x], count[threadIdx.x]);
}

__global__ void sepia_in_place(uchar4* image, int width, int height, int pitch) {
  int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= height) return;
  uchar4 p = image[y * pitch + x];
  int r = min(255, (101 * p.x + 197 * p.y + 48 * p.z) >> 8);
  int g = min(255, (89 * p.x + 176 * p.y + 43 * p.z) >> 8);
  image[y * pitch + x] = make_uchar4(r, g, p.z, p.w);
}

__global__ void pixelate(const unsigned char* in, unsigned char* out, int width, int height, int cell) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[(y / cell * cell) * width + x / cell * cell];
}

__global__ void thirds_of_image(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width / 3) return;
  float s = 0.f;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++) s += in[(y * 3 + dy) * width + x * 3 + dx];
  out[y * (width / 3) + x] = s * (1.f / 9.f);
}

__global__ void nearest_of_points(const float3* points, const float3* queries, int* nearest, int count,
                                  int n) {
  __shared__ float3 tile[40];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 q = i < n ? queries[i] : make_float3(0.f, 0.f, 0.f);
  float best = 1e30f;
  int which = -1;
  for (int base = 0; base < count; base += 40) {
    int here = min(40, count - base);
    for (int e = threadIdx.x; e < here; e += blockDim.x) tile[e] = points[base + e];
    __syncthreads();
    for (int e = 0; e < here; e++) {
      float dx = q.x - tile[e].x, dy = q.y - tile[e].y, dz = q.z - tile[e].z;
      float d = dx * dx + dy * dy + dz * dz;
      if (d < best) best = d, which = base + e;
    }
    __syncthreads();
  }
  if (i < n) nearest[i] = which;
}

__global__ void volume_gradient(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  auto at = [=](int i, int j, int k) {
    return in[(min(max(k, 0), nz - 1) * ny + min(max(j, 0), ny - 1)) * nx + min(max(i, 0), nx - 1)];
  };
  float gx = at(x + 1, y, z) - at(x - 1, y, z), gy = at(x, y + 1, z) - at(x, y - 1, z);
  float gz = at(x, y, z + 1) - at(x, y, z - 1);
  out[(z * ny + y) * nx + x] = sqrtf(gx * gx + gy * gy + gz * gz);
}
