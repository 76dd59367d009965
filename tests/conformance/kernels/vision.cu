// Images, volumes, geometry.
__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
__device__ __forceinline__ void order(unsigned char& a, unsigned char& b) {
  const unsigned char lo = min(a, b);
  b = max(a, b);
  a = lo;
}

__global__ void median_network(const unsigned char* in, unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  unsigned char p[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) p[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
  order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
  order(p[0], p[1]); order(p[3], p[4]); order(p[6], p[7]);
  order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
  order(p[0], p[3]); order(p[5], p[8]); order(p[4], p[7]);
  order(p[3], p[6]); order(p[1], p[4]); order(p[2], p[5]);
  order(p[4], p[7]); order(p[4], p[2]); order(p[6], p[4]); order(p[4], p[2]);
  out[y * w + x] = p[4];
}
__global__ void bilateral_window(const float* in, float* out, int w, int h, float sigma_s, float sigma_r, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float centre = in[y * w + x];
  float sum = 0, weight = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const float v = in[clampi(y + dy, 0, h - 1) * w + clampi(x + dx, 0, w - 1)];
      const float k = __expf(-(dx * dx + dy * dy) * sigma_s - (v - centre) * (v - centre) * sigma_r);
      sum += k * v;
      weight += k;
    }
  out[y * w + x] = sum / weight;
}
__global__ void sobel_shared(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ int t[10][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
    const int ty = k / 34, tx = k % 34;
    t[ty][tx] = in[clampi(y0 + ty, 0, h - 1) * w + clampi(x0 + tx, 0, w - 1)];
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y, c = threadIdx.x + 1, r = threadIdx.y + 1;
  if (x < w && y < h) {
    const int gx = t[r - 1][c + 1] + 2 * t[r][c + 1] + t[r + 1][c + 1] - t[r - 1][c - 1] - 2 * t[r][c - 1] - t[r + 1][c - 1];
    const int gy = t[r + 1][c - 1] + 2 * t[r + 1][c] + t[r + 1][c + 1] - t[r - 1][c - 1] - 2 * t[r - 1][c] - t[r - 1][c + 1];
    out[y * w + x] = min(255, abs(gx) + abs(gy));
  }
}
__global__ void integral_columns(const unsigned char* in, int* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) {
    int sum = 0;
    for (int y = 0; y < h; ++y) {
      sum += in[y * w + x];
      out[y * w + x] = sum;
    }
  }
}
__global__ void box_from_integral(const int* sums, float* out, int w, int h, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int x0 = max(x - r - 1, 0), x1 = min(x + r, w - 1), y0 = max(y - r - 1, 0), y1 = min(y + r, h - 1);
  const int area = (x1 - x0) * (y1 - y0);
  const int s = sums[y1 * w + x1] - sums[y0 * w + x1] - sums[y1 * w + x0] + sums[y0 * w + x0];
  out[y * w + x] = area > 0 ? (float)s / area : 0.0f;
}
__global__ void rotate_bilinear(const float* in, float* out, int w, int h, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float u = c * (x - w * 0.5f) - s * (y - h * 0.5f) + w * 0.5f;
  const float v = s * (x - w * 0.5f) + c * (y - h * 0.5f) + h * 0.5f;
  const int ix = (int)floorf(u), iy = (int)floorf(v);
  float value = 0.f;
  if (ix >= 0 && iy >= 0 && ix + 1 < w && iy + 1 < h) {
    const float fx = u - ix, fy = v - iy;
    const float* p = in + iy * w + ix;
    value = (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[w] * (1 - fx) + p[w + 1] * fx) * fy;
  }
  out[y * w + x] = value;
}
__global__ void threshold_otsu(const int* histogram, int* threshold, int total) {
  __shared__ float score[256];
  const int t = threadIdx.x;
  float wb = 0, sb = 0, wf = 0, sf = 0;
  for (int k = 0; k < 256; ++k) {
    const float n = histogram[k];
    if (k <= t) {
      wb += n;
      sb += k * n;
    } else {
      wf += n;
      sf += k * n;
    }
  }
  score[t] = (wb > 0 && wf > 0) ? wb / total * (wf / total) * (sb / wb - sf / wf) * (sb / wb - sf / wf) : 0.f;
  __syncthreads();
  if (t == 0) {
    int best = 0;
    for (int k = 1; k < 256; ++k)
      if (score[k] > score[best]) best = k;
    *threshold = best;
  }
}
__global__ void hough_votes(const unsigned char* edges, unsigned* votes, int w, int h, int angles, int rhos) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h || edges[y * w + x] < 200) return;
  for (int a = 0; a < angles; ++a) {
    float s, c;
    __sincosf(a * 3.14159265f / angles, &s, &c);
    const int rho = (int)(x * c + y * s) + rhos / 2;
    if (rho >= 0 && rho < rhos) atomicAdd(&votes[a * rhos + rho], 1u);
  }
}
__global__ void label_propagate(const unsigned char* mask, const int* labels, int* out, int* changed, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int at = y * w + x;
  int best = labels[at];
  if (mask[at] & 1) {
    if (x > 0 && (mask[at - 1] & 1)) best = min(best, labels[at - 1]);
    if (x + 1 < w && (mask[at + 1] & 1)) best = min(best, labels[at + 1]);
    if (y > 0 && (mask[at - w] & 1)) best = min(best, labels[at - w]);
    if (y + 1 < h && (mask[at + w] & 1)) best = min(best, labels[at + w]);
  }
  out[at] = best;
  if (best != labels[at]) *changed = 1;
}
__global__ void ray_spheres(const float4* spheres, int count, float* depth, int w, int h) {
  extern __shared__ float4 cached[];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = t; k < count; k += blockDim.x * blockDim.y) cached[k] = spheres[k];
  __syncthreads();
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float ox = 2.f * x / w - 1.f, oy = 2.f * y / h - 1.f;
  float nearest = 1e20f;
  for (int k = 0; k < count; ++k) {
    const float4 s = cached[k];
    const float dx = ox - s.x, dy = oy - s.y, r2 = s.w * s.w * 0.25f;
    const float d2 = dx * dx + dy * dy;
    if (d2 < r2) {
      const float z = s.z + sqrtf(r2 - d2);
      if (z < nearest) nearest = z;
    }
  }
  depth[y * w + x] = nearest;
}
__global__ void march_cubes_class(const float* field, unsigned char* cases, int nx, int ny, int nz, float iso) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  unsigned index = 0;
  for (int c = 0; c < 8; ++c) {
    const int xx = x + (c & 1), yy = y + (c >> 1 & 1), zz = z + (c >> 2);
    if (field[(zz * ny + yy) * nx + xx] > iso) index |= 1u << c;
  }
  cases[(z * (ny - 1) + y) * (nx - 1) + x] = index;
}
__global__ void splat_points(const float2* points, const float* weight, float* image, int n, int w, int h) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float px = (points[i].x + 1.f) * 0.5f * (w - 2), py = (points[i].y + 1.f) * 0.5f * (h - 2);
  const int ix = px, iy = py;
  const float fx = px - ix, fy = py - iy, m = weight[i];
  atomicAdd(&image[iy * w + ix], m * (1 - fx) * (1 - fy));
  atomicAdd(&image[iy * w + ix + 1], m * fx * (1 - fy));
  atomicAdd(&image[(iy + 1) * w + ix], m * (1 - fx) * fy);
  atomicAdd(&image[(iy + 1) * w + ix + 1], m * fx * fy);
}
__global__ void mandel_colours(uchar4* out, int w, int h, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const float cr = 3.0f * x / w - 2.0f, ci = 2.0f * y / h - 1.0f;
  float zr = 0, zi = 0;
  int k = 0;
  for (; k < most; ++k) {
    const float r2 = zr * zr, i2 = zi * zi;
    if (r2 + i2 > 4.0f) break;
    zi = 2 * zr * zi + ci;
    zr = r2 - i2 + cr;
  }
  uchar4 colour;
  if (k == most)
    colour = make_uchar4(0, 0, 0, 255);
  else if (k & 1)
    colour = make_uchar4(k * 8, k * 3, 128, 255);
  else
    colour = make_uchar4(128, k * 5, k * 9, 255);
  out[y * w + x] = colour;
}
__global__ void erode_shared(const unsigned char* in, unsigned char* out, int w, int h) {
  __shared__ unsigned char t[7 + 2][5 + 2];
  const int x = blockIdx.x * 5 + threadIdx.x - 1, y = blockIdx.y * 7 + threadIdx.y - 1;
  t[threadIdx.y][threadIdx.x] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 255;
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x == 6 || threadIdx.y == 0 || threadIdx.y == 8) return;
  if (x >= w || y >= h) return;
  unsigned char v = 255;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) v = min(v, t[threadIdx.y + dy][threadIdx.x + dx]);
  out[y * w + x] = v;
}
