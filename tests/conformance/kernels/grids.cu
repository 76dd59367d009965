// Grids and pictures: stencils with halos and several steps a tile, filters, resizing, colours.

// Two Jacobi steps in shared memory before anything is written back.
__global__ void heat_two_steps(const float* in, float* out, int w, int h, float k) {
  __shared__ float a[12][12], b[12][12];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 8 + tx - 2, y = blockIdx.y * 8 + ty - 2;
  int cx = min(max(x, 0), w - 1), cy = min(max(y, 0), h - 1);
  a[ty][tx] = in[cy * w + cx];
  __syncthreads();
  bool inner = tx > 0 && tx < 11 && ty > 0 && ty < 11;
  float v = a[ty][tx];
  if (inner) v += k * (a[ty][tx - 1] + a[ty][tx + 1] + a[ty - 1][tx] + a[ty + 1][tx] - 4 * v);
  b[ty][tx] = v;
  __syncthreads();
  if (tx > 1 && tx < 10 && ty > 1 && ty < 10 && x < w && y < h) {
    v = b[ty][tx];
    out[y * w + x] = v + k * (b[ty][tx - 1] + b[ty][tx + 1] + b[ty - 1][tx] + b[ty + 1][tx] - 4 * v);
  }
}

// Plane in shared memory, the column in registers.
__global__ void stencil_13_queue(const float* in, float* out, int nx, int ny, int nz) {
  __shared__ float plane[9][20];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y;
  bool inside = x >= 2 && x < nx - 2 && y >= 2 && y < ny - 2;
  int cx = min(x, nx - 1), cy = min(y, ny - 1), step = nx * ny;
  const float* p = in + cy * nx + cx;
  float back2 = p[0], back1 = p[step], now = p[2 * step], next1 = p[3 * step], next2 = p[4 * step];
  for (int z = 2; z < nz - 2; ++z) {
    plane[threadIdx.y + 2][threadIdx.x + 2] = now;
    if (threadIdx.x < 2) {
      plane[threadIdx.y + 2][threadIdx.x] = in[z * step + cy * nx + max(cx - 2, 0)];
      plane[threadIdx.y + 2][threadIdx.x + 18] = in[z * step + cy * nx + min(x + 16, nx - 1)];
    }
    if (threadIdx.y < 2) {
      plane[threadIdx.y][threadIdx.x + 2] = in[z * step + max(cy - 2, 0) * nx + cx];
      plane[threadIdx.y + 7][threadIdx.x + 2] = in[z * step + min(y + 5, ny - 1) * nx + cx];
    }
    __syncthreads();
    if (inside) {
      int tx = threadIdx.x + 2, ty = threadIdx.y + 2;
      float s = -12.f * now + back1 + next1 + 0.25f * (back2 + next2);
      for (int d = 1; d <= 2; ++d)
        s += (plane[ty][tx - d] + plane[ty][tx + d] + plane[ty - d][tx] + plane[ty + d][tx]) / d;
      out[z * step + y * nx + x] = s;
    }
    __syncthreads();
    back2 = back1;
    back1 = now;
    now = next1;
    next1 = next2;
    if (z + 3 < nz) next2 = p[(z + 3) * step];
  }
}

__global__ void advect(const float* field, const float2* velocity, float* out, int w, int h, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float2 v = velocity[y * w + x];
  float fx = fminf(fmaxf(x - dt * v.x, 0.f), w - 1.001f), fy = fminf(fmaxf(y - dt * v.y, 0.f), h - 1.001f);
  int ix = (int)fx, iy = (int)fy;
  float ax = fx - ix, ay = fy - iy;
  const float* p = field + iy * w + ix;
  out[y * w + x] = (1 - ay) * ((1 - ax) * p[0] + ax * p[1]) + ay * ((1 - ax) * p[w] + ax * p[w + 1]);
}

__global__ void laplacian_periodic(const double* in, double* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int l = (x + w - 1) % w, r = (x + 1) % w, u = (y + h - 1) % h, d = (y + 1) % h;
  out[y * w + x] = 0.5 * (in[y * w + l] + in[y * w + r] + in[u * w + x] + in[d * w + x]) +
                   0.25 * (in[u * w + l] + in[u * w + r] + in[d * w + l] + in[d * w + r]) -
                   3.0 * in[y * w + x];
}

__global__ void gray_scott(const float* u, const float* v, float* un, float* vn, int n, float feed,
                           float kill) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1) return;
  int i = y * n + x;
  float uvv = u[i] * v[i] * v[i];
  float lu = u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4 * u[i];
  float lv = v[i - 1] + v[i + 1] + v[i - n] + v[i + n] - 4 * v[i];
  un[i] = u[i] + 0.16f * lu - uvv + feed * (1 - u[i]);
  vn[i] = v[i] + 0.08f * lv + uvv - (feed + kill) * v[i];
}

__global__ void jacobi_residual(const double* in, double* out, const double* rhs, double* residual, int w,
                                int h) {
  __shared__ double part[96];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  double d = 0;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    int i = y * w + x;
    double v = 0.25 * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - rhs[i]);
    d = (v - in[i]) * (v - in[i]);
    out[i] = v;
  }
  part[t] = d;
  __syncthreads();
  if (t < 32) part[t] += part[t + 32] + part[t + 64];
  for (int s = 16; s > 0; s >>= 1) {
    __syncthreads();
    if (t < s) part[t] += part[t + s];
  }
  if (t == 0) residual[blockIdx.y * gridDim.x + blockIdx.x] = part[0];
}

__device__ __forceinline__ void order(unsigned char& a, unsigned char& b) {
  unsigned char low = min(a, b);
  b = max(a, b);
  a = low;
}

__global__ void median_cross(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  unsigned char a = in[y * w + x], b = in[y * w + max(x - 1, 0)], c = in[y * w + min(x + 1, w - 1)],
                d = in[max(y - 1, 0) * w + x], e = in[min(y + 1, h - 1) * w + x];
  order(a, b);
  order(c, d);
  order(a, c);
  order(b, d);
  order(b, e);
  order(b, c);
  order(c, e);
  order(b, c);
  out[y * w + x] = c;
}

__global__ void bilateral_tile(const unsigned char* in, unsigned char* out, int w, int h, float range) {
  __shared__ unsigned char tile[10][26 + 2];
  for (int ty = threadIdx.y; ty < 10; ty += blockDim.y)
    for (int tx = threadIdx.x; tx < 26; tx += blockDim.x) {
      int x = min(max((int)(blockIdx.x * 24 + tx) - 1, 0), w - 1);
      int y = min(max((int)(blockIdx.y * 8 + ty) - 1, 0), h - 1);
      tile[ty][tx] = in[y * w + x];
    }
  __syncthreads();
  int x = blockIdx.x * 24 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float centre = tile[threadIdx.y + 1][threadIdx.x + 1], sum = 0, weight = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      float v = tile[threadIdx.y + dy][threadIdx.x + dx];
      float k = __expf(-(v - centre) * (v - centre) * range);
      sum += k * v;
      weight += k;
    }
  out[y * w + x] = (unsigned char)(sum / weight);
}

__global__ void dilate_separable(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char tile[12][36], rows[12][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int e = threadIdx.y * 32 + threadIdx.x; e < 12 * 36; e += 256) {
    int x = x0 + e % 36 - 2, y = y0 + e / 36 - 2;
    tile[e / 36][e % 36] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0;
  }
  __syncthreads();
  for (int ty = threadIdx.y; ty < 12; ty += 8) {
    unsigned char m = 0;
    for (int d = 0; d < 5; ++d) m = max(m, tile[ty][threadIdx.x + d]);
    rows[ty][threadIdx.x] = m;
  }
  __syncthreads();
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x < w && y < h) {
    unsigned char m = 0;
    for (int d = 0; d < 5; ++d) m = max(m, rows[threadIdx.y + d][threadIdx.x]);
    out[y * w + x] = m;
  }
}

__device__ float cubic(float t) {
  t = fabsf(t);
  if (t < 1.f) return (1.5f * t - 2.5f) * t * t + 1.f;
  if (t < 2.f) return ((-0.5f * t + 2.5f) * t - 4.f) * t + 2.f;
  return 0.f;
}

__global__ void resize_bicubic(const float* in, float* out, int w, int h, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = (x + 0.5f) * w / ow - 0.5f, fy = (y + 0.5f) * h / oh - 0.5f;
  int ix = (int)floorf(fx), iy = (int)floorf(fy);
  float sum = 0;
  for (int j = -1; j <= 2; ++j) {
    float row = 0;
    for (int i = -1; i <= 2; ++i) {
      int sx = min(max(ix + i, 0), w - 1), sy = min(max(iy + j, 0), h - 1);
      row += cubic(fx - (ix + i)) * in[sy * w + sx];
    }
    sum += cubic(fy - (iy + j)) * row;
  }
  out[y * ow + x] = sum;
}

__global__ void shrink_area(const uchar4* in, uchar4* out, int w, int ow, int oh, int factor) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  int r = 0, g = 0, b = 0;
  for (int j = 0; j < factor; ++j)
    for (int i = 0; i < factor; ++i) {
      uchar4 p = in[(y * factor + j) * w + x * factor + i];
      r += p.x;
      g += p.y;
      b += p.z;
    }
  int n = factor * factor;
  out[y * ow + x] = make_uchar4(r / n, g / n, b / n, 255);
}

// Luma of each pixel, chroma of each 2x2.
__global__ void rgb_to_420(const unsigned char* rgb, unsigned char* y, unsigned char* u, unsigned char* v,
                           int w, int h) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, row = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
  if (x + 1 >= w || row + 1 >= h) return;
  int su = 0, sv = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    int i = (row + k / 2) * w + x + k % 2;
    int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    y[i] = (unsigned char)((66 * r + 129 * g + 25 * b + 128 >> 8) + 16);
    su += -38 * r - 74 * g + 112 * b;
    sv += 112 * r - 94 * g - 18 * b;
  }
  u[row / 2 * (w / 2) + x / 2] = (unsigned char)((su / 4 + 128 >> 8) + 128);
  v[row / 2 * (w / 2) + x / 2] = (unsigned char)((sv / 4 + 128 >> 8) + 128);
}

__global__ void warp_perspective(const unsigned char* in, unsigned char* out, const float* m, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float d = 1.f + 0.01f * (m[6] * x + m[7] * y);
  int sx = (int)((x + m[0] * y + m[2]) / d), sy = (int)((y + m[1] * x + m[5]) / d);
  out[y * w + x] = sx >= 0 && sx < w && sy >= 0 && sy < h ? in[sy * w + sx] : 0;
}

__global__ void suppress_non_maxima(const float* magnitude, const unsigned char* sector, float* out, int w,
                                    int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  float m = magnitude[i], a, b;
  switch (sector[i] & 3) {
    case 0:
      a = magnitude[i - 1], b = magnitude[i + 1];
      break;
    case 1:
      a = magnitude[i - w + 1], b = magnitude[i + w - 1];
      break;
    case 2:
      a = magnitude[i - w], b = magnitude[i + w];
      break;
    default:
      a = magnitude[i - w - 1], b = magnitude[i + w + 1];
  }
  out[i] = m >= a && m >= b ? m : 0.f;
}

__global__ void distance_rows(const unsigned char* in, int* distance, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  int d = w;
  for (int x = 0; x < w; ++x) {
    d = in[y * w + x] < 40 ? 0 : d + 1;
    distance[y * w + x] = d;
  }
  d = w;
  for (int x = w - 1; x >= 0; --x) {
    int v = distance[y * w + x];
    d = v == 0 ? 0 : d + 1;
    if (d < v) distance[y * w + x] = d;
  }
}

__constant__ unsigned char bayer[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};

__global__ void dither_ordered(const unsigned char* in, unsigned* bits, int words, int h) {
  int word = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (word >= words || y >= h) return;
  unsigned out = 0;
  for (int k = 0; k < 32; ++k)
    if (in[(y * words + word) * 32 + k] > bayer[(y & 3) * 4 + (k & 3)] * 16 + 8) out |= 1u << k;
  bits[y * words + word] = out;
}

__global__ void equalise_tiles(const unsigned char* in, unsigned char* out, int w, int h, int limit) {
  __shared__ int bins[64];
  __shared__ unsigned char map[64];
  int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  for (int b = t; b < 64; b += threads) bins[b] = 0;
  __syncthreads();
  int x0 = blockIdx.x * 20, y0 = blockIdx.y * 20, tw = min(20, w - x0), th = min(20, h - y0);
  for (int e = t; e < tw * th; e += threads) atomicAdd(&bins[in[(y0 + e / tw) * w + x0 + e % tw] >> 2], 1);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int b = 0; b < 64; ++b) {
      sum += min(bins[b], limit);
      map[b] = (unsigned char)min(255, sum * 255 / (tw * th));
    }
  }
  __syncthreads();
  for (int e = t; e < tw * th; e += threads) {
    int i = (y0 + e / tw) * w + x0 + e % tw;
    out[i] = map[in[i] >> 2];
  }
}

__global__ void seam_costs(const int* energy, int* cost, int w, int h) {
  extern __shared__ int line[];
  int* from = line;
  int* to = line + w;
  for (int x = threadIdx.x; x < w; x += blockDim.x) cost[x] = from[x] = energy[x];
  __syncthreads();
  for (int y = 1; y < h; ++y) {
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
      int best = from[x];
      if (x > 0) best = min(best, from[x - 1]);
      if (x < w - 1) best = min(best, from[x + 1]);
      cost[y * w + x] = to[x] = best + energy[y * w + x];
    }
    __syncthreads();
    int* swap = from;
    from = to;
    to = swap;
  }
}
