// Filters of images and fields as sample programs write them: separable convolution with several results a thread, Sobel
// and box filters, bilateral filter, equalising, FDTD, a lattice gas, heat with a halo.

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_kernel[KERNEL_LENGTH] = {0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f, 0.08f, 0.1f, 0.22f,
                                              0.1f,  0.08f, 0.06f, 0.05f, 0.04f, 0.03f, 0.02f, 0.01f};
#define ROWS_X 16
#define ROWS_Y 4
#define ROWS_STEPS 4
#define HALO_STEPS 1
__global__ void convolution_rows(float* dst, const float* src, int width, int height, int pitch) {
  __shared__ float s_data[ROWS_Y][(ROWS_STEPS + 2 * HALO_STEPS) * ROWS_X];
  const int base_x = (blockIdx.x * ROWS_STEPS - HALO_STEPS) * ROWS_X + threadIdx.x;
  const int base_y = blockIdx.y * ROWS_Y + threadIdx.y;
  src += base_y * pitch + base_x;
  dst += base_y * pitch + base_x;
#pragma unroll
  for (int i = HALO_STEPS; i < HALO_STEPS + ROWS_STEPS; i++)
    s_data[threadIdx.y][threadIdx.x + i * ROWS_X] = src[i * ROWS_X];
#pragma unroll
  for (int i = 0; i < HALO_STEPS; i++)
    s_data[threadIdx.y][threadIdx.x + i * ROWS_X] = (base_x >= -i * ROWS_X) ? src[i * ROWS_X] : 0;
#pragma unroll
  for (int i = HALO_STEPS + ROWS_STEPS; i < HALO_STEPS + ROWS_STEPS + HALO_STEPS; i++)
    s_data[threadIdx.y][threadIdx.x + i * ROWS_X] = (width - base_x > i * ROWS_X) ? src[i * ROWS_X] : 0;
  __syncthreads();
#pragma unroll
  for (int i = HALO_STEPS; i < HALO_STEPS + ROWS_STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
      sum += c_kernel[KERNEL_RADIUS - j] * s_data[threadIdx.y][threadIdx.x + i * ROWS_X + j];
    dst[i * ROWS_X] = sum;
  }
}

#define COLS_X 16
#define COLS_Y 8
#define COLS_STEPS 4
__global__ void convolution_columns(float* dst, const float* src, int width, int height, int pitch) {
  __shared__ float s_data[COLS_X][(COLS_STEPS + 2 * HALO_STEPS) * COLS_Y + 1];
  const int base_x = blockIdx.x * COLS_X + threadIdx.x;
  const int base_y = (blockIdx.y * COLS_STEPS - HALO_STEPS) * COLS_Y + threadIdx.y;
  src += base_y * pitch + base_x;
  dst += base_y * pitch + base_x;
#pragma unroll
  for (int i = HALO_STEPS; i < HALO_STEPS + COLS_STEPS; i++)
    s_data[threadIdx.x][threadIdx.y + i * COLS_Y] = src[i * COLS_Y * pitch];
  s_data[threadIdx.x][threadIdx.y] = (base_y >= 0) ? src[0] : 0;
  const int last = HALO_STEPS + COLS_STEPS;
  s_data[threadIdx.x][threadIdx.y + last * COLS_Y] = (height - base_y > last * COLS_Y) ? src[last * COLS_Y * pitch] : 0;
  __syncthreads();
#pragma unroll
  for (int i = HALO_STEPS; i < HALO_STEPS + COLS_STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
      sum += c_kernel[KERNEL_RADIUS - j] * s_data[threadIdx.x][threadIdx.y + i * COLS_Y + j];
    dst[i * COLS_Y * pitch] = sum;
  }
}

__device__ unsigned char sobel_of(unsigned char ul, unsigned char um, unsigned char ur, unsigned char ml,
                                  unsigned char mr, unsigned char ll, unsigned char lm, unsigned char lr,
                                  float scale) {
  short horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
  short vert = ul + 2 * um + ur - ll - 2 * lm - lr;
  short sum = (short)(scale * (abs((int)horz) + abs((int)vert)));
  if (sum < 0) return 0;
  if (sum > 255) return 255;
  return (unsigned char)sum;
}
__global__ void sobel_row_per_block(const unsigned char* in, unsigned char* out, int w, int h, float scale) {
  const unsigned char* row = in + blockIdx.x * w;
  int up = blockIdx.x > 0 ? -w : 0, down = blockIdx.x + 1 < h ? w : 0;
  for (int i = threadIdx.x; i < w; i += blockDim.x) {
    int l = i > 0 ? i - 1 : i, r = i + 1 < w ? i + 1 : i;
    out[blockIdx.x * w + i] = sobel_of(row[up + l], row[up + i], row[up + r], row[l], row[r], row[down + l],
                                       row[down + i], row[down + r], scale);
  }
}

__global__ void box_filter_x(const float* id, float* od, int w, int h, int r) {
  unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  id += y * w;
  od += y * w;
  float scale = 1.0f / (float)((r << 1) + 1);
  float t = id[0] * r;
  for (int x = 0; x < r + 1; x++) t += id[x];
  od[0] = t * scale;
  for (int x = 1; x < r + 1; x++) {
    t += id[x + r];
    t -= id[0];
    od[x] = t * scale;
  }
  for (int x = r + 1; x < w - r; x++) {
    t += id[x + r];
    t -= id[x - r - 1];
    od[x] = t * scale;
  }
  for (int x = w - r; x < w; x++) {
    t += id[w - 1];
    t -= id[x - r - 1];
    od[x] = t * scale;
  }
}

__constant__ float gauss[16] = {1.f, 0.9f, 0.7f, 0.4f, 0.2f, 0.1f};
__device__ float euclid(float4 a, float4 b, float d) {
  float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
  return __expf(-mod / (2.f * d * d));
}
__global__ void bilateral_float4(const float4* in, float4* out, int w, int h, float e_d, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0.0f;
  float4 t = {0.f, 0.f, 0.f, 0.f};
  float4 center = in[y * w + x];
  for (int i = -r; i <= r; i++)
    for (int j = -r; j <= r; j++) {
      int yy = y + i, xx = x + j;
      if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
      float4 pix = in[yy * w + xx];
      float factor = gauss[i + r] * gauss[j + r] * euclid(pix, center, e_d);
      t.x += factor * pix.x;
      t.y += factor * pix.y;
      t.z += factor * pix.z;
      sum += factor;
    }
  out[y * w + x] = make_float4(t.x / sum, t.y / sum, t.z / sum, 0.f);
}

__global__ void equalise(unsigned char* image, const int* cdf, int n, int cdf_min) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int v = 255 * (cdf[image[i]] - cdf_min) / (n - 1);
    image[i] = v < 0 ? 0 : v > 255 ? 255 : v;
  }
}

#define FD_RADIUS 2
#define FD_X 16
#define FD_Y 8
__constant__ float fd_stencil[FD_RADIUS + 1] = {0.5f, 0.1f, 0.05f};
__global__ void fdtd_3d(float* output, const float* input, int dimx, int dimy, int dimz) {
  __shared__ float tile[FD_Y + 2 * FD_RADIUS][FD_X + 2 * FD_RADIUS];
  const int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;
  const int ltx = threadIdx.x, lty = threadIdx.y;
  const int stride_y = dimx + 2 * FD_RADIUS;
  const int stride_z = stride_y * (dimy + 2 * FD_RADIUS);
  int in = gx + FD_RADIUS + (gy + FD_RADIUS) * stride_y, out = 0;
  float infront[FD_RADIUS], behind[FD_RADIUS], current;
  const int tx = ltx + FD_RADIUS, ty = lty + FD_RADIUS;
  bool validr = true, validw = true;
  if (gx >= dimx + FD_RADIUS || gy >= dimy + FD_RADIUS) validr = false;
  if (gx >= dimx || gy >= dimy) validw = false;
  for (int i = FD_RADIUS - 2; i >= 0; i--) {
    if (validr) behind[i] = input[in];
    in += stride_z;
  }
  if (validr) behind[FD_RADIUS - 1] = input[in];
  in += stride_z;
  if (validr) current = input[in];
  out = in;
  in += stride_z;
  for (int i = 0; i < FD_RADIUS; i++) {
    if (validr) infront[i] = input[in];
    in += stride_z;
  }
#pragma unroll 3
  for (int iz = 0; iz < dimz; iz++) {
    for (int i = FD_RADIUS - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
    for (int i = 0; i < FD_RADIUS - 1; i++) infront[i] = infront[i + 1];
    if (validr && iz + 1 < dimz) infront[FD_RADIUS - 1] = input[in];
    in += stride_z;
    out += stride_z;
    __syncthreads();
    if (lty < FD_RADIUS && validr) {
      tile[lty][tx] = input[out - FD_RADIUS * stride_y];
      tile[lty + FD_Y + FD_RADIUS][tx] = input[out + FD_Y * stride_y];
    }
    if (ltx < FD_RADIUS && validr) {
      tile[ty][ltx] = input[out - FD_RADIUS];
      tile[ty][ltx + FD_X + FD_RADIUS] = input[out + FD_X];
    }
    tile[ty][tx] = current;
    __syncthreads();
    float value = fd_stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= FD_RADIUS; i++)
      value += fd_stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                                tile[ty][tx - i] + tile[ty][tx + i]);
    if (validw) output[out] = value;
  }
}

__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float wt[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lattice_boltzmann(const float* f, float* f_new, const unsigned char* solid, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  int n = nx * ny, cell = y * nx + x;
  if (solid[cell]) {
    const int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    for (int k = 0; k < 9; ++k) f_new[opposite[k] * n + cell] = f[k * n + cell];
    return;
  }
  float in[9], rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; ++k) {
    int sx = (x - ex[k] + nx) % nx, sy = (y - ey[k] + ny) % ny;
    in[k] = f[k * n + sy * nx + sx];
    rho += in[k];
    ux += in[k] * ex[k];
    uy += in[k] * ey[k];
  }
  rho = fabsf(rho) + 1.f;
  ux /= rho;
  uy /= rho;
  float u2 = 1.5f * (ux * ux + uy * uy);
  for (int k = 0; k < 9; ++k) {
    float eu = 3.f * (ex[k] * ux + ey[k] * uy);
    f_new[k * n + cell] = in[k] + omega * (wt[k] * rho * (1.f + eu + 0.5f * eu * eu - u2) - in[k]);
  }
}

__global__ void heat_borders(const float* t, float* t_new, int nx, int ny, float k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  int id = j * nx + i;
  if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1)
    t_new[id] = t[id];
  else
    t_new[id] = t[id] + k * (t[id - 1] + t[id + 1] + t[id - nx] + t[id + nx] - 4.0f * t[id]);
}
