// Stencils, convolutions and image filters.
#define RADIUS 3
#define BLOCK 128

__constant__ float mask_1d[2 * RADIUS + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
__constant__ float mask_2d[5][5] = {{1, 2, 3, 2, 1}, {2, 4, 6, 4, 2}, {3, 6, 9, 6, 3}, {2, 4, 6, 4, 2}, {1, 2, 3, 2, 1}};

__global__ void stencil_naive(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < RADIUS || i >= n - RADIUS) return;
  float sum = 0.0f;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += in[i + k];
  out[i] = sum;
}

__global__ void stencil_shared(const int* in, int* out) {
  __shared__ int temp[BLOCK + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
  int l = threadIdx.x + RADIUS;
  temp[l] = in[g];
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = in[g - RADIUS];
    temp[l + BLOCK] = in[g + BLOCK];
  }
  __syncthreads();
  int result = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) result += temp[l + k];
  out[g] = result;
}

__global__ void convolve_1d(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < 2 * RADIUS + 1; ++k) {
    int j = i + k - RADIUS;
    if (j >= 0 && j < n) sum += in[j] * mask_1d[k];
  }
  out[i] = sum;
}

__global__ void heat_2d(const float* in, float* out, int width, int height, float a) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    int i = y * width + x;
    out[i] = in[i] + a * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * in[i]);
  }
}

__global__ void heat_2d_tiled(const float* in, float* out, int width, int height, float a) {
  __shared__ float s[18][18];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  int cx = min(x, width - 1), cy = min(y, height - 1);
  s[ty][tx] = in[cy * width + cx];
  if (threadIdx.x == 0) s[ty][0] = in[cy * width + max(cx - 1, 0)];
  if (threadIdx.x == 15) s[ty][17] = in[cy * width + min(cx + 1, width - 1)];
  if (threadIdx.y == 0) s[0][tx] = in[max(cy - 1, 0) * width + cx];
  if (threadIdx.y == 15) s[17][tx] = in[min(cy + 1, height - 1) * width + cx];
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] =
        s[ty][tx] + a * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4.0f * s[ty][tx]);
}

__global__ void laplace_3d(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
  for (int z = 1; z < nz - 1; ++z) {
    int i = (z * ny + y) * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny] - 6.0f * in[i];
  }
}

__global__ void convolve_2d(const float* in, float* out, int width, int height) {
  __shared__ float s[20][20];
  int tx = threadIdx.x, ty = threadIdx.y;
  for (int y = ty; y < 20; y += 16)
    for (int x = tx; x < 20; x += 16) {
      int gx = blockIdx.x * 16 + x - 2, gy = blockIdx.y * 16 + y - 2;
      s[y][x] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? in[gy * width + gx] : 0.0f;
    }
  __syncthreads();
  int gx = blockIdx.x * 16 + tx, gy = blockIdx.y * 16 + ty;
  if (gx >= width || gy >= height) return;
  float sum = 0.0f;
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x) sum += s[ty + y][tx + x] * mask_2d[y][x];
  out[gy * width + gx] = sum / 81.0f;
}

__global__ void blur_rows(const unsigned char* in, unsigned char* out, int width, int height, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0, count = 0;
  for (int k = -radius; k <= radius; ++k)
    if (x + k >= 0 && x + k < width) {
      sum += in[y * width + x + k];
      ++count;
    }
  out[y * width + x] = static_cast<unsigned char>(sum / count);
}

__global__ void blur_columns(const unsigned char* in, unsigned char* out, int width, int height, int radius) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int k = -radius; k <= radius; ++k) sum += in[min(max(y + k, 0), height - 1) * width + x];
  out[y * width + x] = static_cast<unsigned char>(sum / (2 * radius + 1));
}

__global__ void sobel(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned char* p = in + y * width + x;
  int gx = -p[-width - 1] + p[-width + 1] - 2 * p[-1] + 2 * p[1] - p[width - 1] + p[width + 1];
  int gy = -p[-width - 1] - 2 * p[-width] - p[-width + 1] + p[width - 1] + 2 * p[width] + p[width + 1];
  int g = abs(gx) + abs(gy);
  out[y * width + x] = static_cast<unsigned char>(g > 255 ? 255 : g);
}

__global__ void median_3x3(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  unsigned char v[9];
  int n = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) v[n++] = in[(y + dy) * width + x + dx];
  for (int i = 0; i < 5; ++i)
    for (int j = i + 1; j < 9; ++j)
      if (v[j] < v[i]) {
        unsigned char t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  out[y * width + x] = v[4];
}

__global__ void bilateral(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float centre = in[y * width + x], sum = 0.0f, total = 0.0f;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
      float v = in[py * width + px];
      float w = __expf(-(dx * dx + dy * dy) * 0.1f - (v - centre) * (v - centre) * 4.0f);
      sum += w * v;
      total += w;
    }
  out[y * width + x] = sum / total;
}
