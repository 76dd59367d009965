// Stencils, pictures and signals.

__constant__ float taps[25] = {0.01f, 0.02f, 0.04f, 0.02f, 0.01f, 0.02f, 0.05f, 0.06f, 0.05f, 0.02f, 0.04f, 0.06f, 0.2f, 0.06f, 0.04f, 0.02f, 0.05f, 0.06f, 0.05f, 0.02f, 0.01f, 0.02f, 0.04f, 0.02f, 0.01f};
__constant__ unsigned char gamma_table[256] = {0, 15, 21, 27, 31, 35, 39, 42, 45, 48, 50, 53, 55, 58, 60, 62};

__global__ void box_3(const unsigned char* in, unsigned char* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int sum = 0, count = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int xx = x + dx, yy = y + dy;
      if (xx >= 0 && xx < w && yy >= 0 && yy < h) {
        sum += in[yy * w + xx];
        ++count;
      }
    }
  out[y * w + x] = sum / count;
}
template <int R>
__global__ void blur_tile(const float* in, float* out, int w, int h) {
  __shared__ float tile[16 + 2 * R][16 + 2 * R];
  int x0 = blockIdx.x * 16 - R, y0 = blockIdx.y * 16 - R;
  for (int y = threadIdx.y; y < 16 + 2 * R; y += 16)
    for (int x = threadIdx.x; x < 16 + 2 * R; x += 16) {
      int xx = min(max(x0 + x, 0), w - 1), yy = min(max(y0 + y, 0), h - 1);
      tile[y][x] = in[yy * w + xx];
    }
  __syncthreads();
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int dy = 0; dy <= 2 * R; ++dy)
    for (int dx = 0; dx <= 2 * R; ++dx) sum += taps[(dy * (2 * R + 1) + dx) % 25] * tile[threadIdx.y + dy][threadIdx.x + dx];
  out[y * w + x] = sum;
}
template __global__ void blur_tile<1>(const float*, float*, int, int);
template __global__ void blur_tile<2>(const float*, float*, int, int);
template __global__ void blur_tile<4>(const float*, float*, int, int);

__global__ void gamma_correct(uchar4* image, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar4 p = image[i];
    p.x = gamma_table[p.x];
    p.y = gamma_table[p.y];
    p.z = gamma_table[p.z];
    image[i] = p;
  }
}
__global__ void sharpen(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int w, int h, int step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    int v = 5 * in[y * step + x] - in[y * step + x - 1] - in[y * step + x + 1] - in[(y - 1) * step + x] - in[(y + 1) * step + x];
    out[y * step + x] = v < 0 ? 0 : v > 255 ? 255 : v;
  }
}
__global__ void rgb_to_hsv(const float3* in, float3* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float3 c = in[i];
  float hi = fmaxf(c.x, fmaxf(c.y, c.z)), lo = fminf(c.x, fminf(c.y, c.z)), d = hi - lo, h = 0.f;
  if (d > 1e-6f) {
    if (hi == c.x)
      h = (c.y - c.z) / d;
    else if (hi == c.y)
      h = 2.f + (c.z - c.x) / d;
    else
      h = 4.f + (c.x - c.y) / d;
    h *= 60.f;
    if (h < 0.f) h += 360.f;
  }
  out[i] = make_float3(h, hi > 0.f ? d / hi : 0.f, hi);
}
__global__ void stencil_1d_radius(const int* in, int* out, int n) {
  __shared__ int temp[64 + 2 * 3];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x, lindex = threadIdx.x + 3;
  temp[lindex] = in[gindex + 3];
  if (threadIdx.x < 3) {
    temp[lindex - 3] = in[gindex];
    temp[lindex + 64] = in[gindex + 3 + 64];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -3; offset <= 3; offset++) result += temp[lindex + offset];
  if (gindex < n) out[gindex] = result;
}
__global__ void heat_step_borders(const double* u, double* v, int nx, int ny, double c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= ny || j >= nx) return;
  int k = i * nx + j;
  if (i == 0 || j == 0 || i == ny - 1 || j == nx - 1)
    v[k] = u[k];
  else
    v[k] = u[k] + c * (u[k - 1] + u[k + 1] + u[k - nx] + u[k + nx] - 4.0 * u[k]);
}
__global__ void stencil_27(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1,
      z = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  float sum = 0;
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) sum += in[((z + dz) * ny + y + dy) * nx + x + dx];
  out[(z * ny + y) * nx + x] = sum / 27.f;
}
__global__ void moving_average(const float* in, float* out, int n, int window) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    int from = max(0, i - window + 1);
    for (int k = from; k <= i; ++k) sum += in[k];
    out[i] = sum / (i - from + 1);
  }
}
__global__ void erode_bits(const unsigned* in, unsigned* out, int words, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= h) return;
  unsigned c = in[y * words + x], l = x > 0 ? in[y * words + x - 1] : 0, r = x + 1 < words ? in[y * words + x + 1] : 0;
  unsigned up = y > 0 ? in[(y - 1) * words + x] : 0, down = y + 1 < h ? in[(y + 1) * words + x] : 0;
  out[y * words + x] = c & (c << 1 | l >> 31) & (c >> 1 | r << 31) & up & down;
}
__global__ void resample_nearest(const uchar3* in, uchar3* out, int sw, int sh, int dw, int dh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < dw && y < dh) out[y * dw + x] = in[(y * sh / dh) * sw + x * sw / dw];
}
__global__ void warp_affine(const float* in, float* out, int w, int h, float a, float b, float c, float d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float u = a * x + b * y, v = c * x + d * y;
  int iu = (int)floorf(u), iv = (int)floorf(v);
  float fu = u - iu, fv = v - iv, value = 0.f;
  if (iu >= 0 && iv >= 0 && iu + 1 < w && iv + 1 < h) {
    float p = in[iv * w + iu], q = in[iv * w + iu + 1], r = in[(iv + 1) * w + iu], s = in[(iv + 1) * w + iu + 1];
    value = (1 - fv) * ((1 - fu) * p + fu * q) + fv * ((1 - fu) * r + fu * s);
  }
  out[y * w + x] = value;
}
__global__ void game_of_life_wrapped(const unsigned char* in, unsigned char* out, int w, int h) {
  for (int cell = blockIdx.x * blockDim.x + threadIdx.x; cell < w * h; cell += blockDim.x * gridDim.x) {
    int x = cell % w, up = cell - x == 0 ? w * h - w : cell - x - w, mid = cell - x, down = mid + w == w * h ? 0 : mid + w;
    int left = (x + w - 1) % w, right = (x + 1) % w;
    int alive = in[up + left] + in[up + x] + in[up + right] + in[mid + left] + in[mid + right] + in[down + left] + in[down + x] +
                in[down + right];
    out[cell] = alive == 3 || (alive == 2 && in[mid + x]) ? 1 : 0;
  }
}
__global__ void iir_rows(const float* in, float* out, int rows, int n, float a) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float y = 0.f;
  for (int i = 0; i < n; ++i) {
    y = a * y + (1.f - a) * in[r * n + i];
    out[r * n + i] = y;
  }
}
