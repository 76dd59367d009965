// What courses set as homework: grey scale, blur, padded matrices, prefix sums, queues, counting.

__global__ void rgb_to_grey(const uchar4* __restrict__ rgba, unsigned char* __restrict__ grey, int rows,
                            int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols) return;
  uchar4 p = rgba[r * cols + c];
  grey[r * cols + c] = (unsigned char)(.299f * p.x + .587f * p.y + .114f * p.z);
}

#define FILTER_WIDTH 5
__constant__ float filter_weights[FILTER_WIDTH * FILTER_WIDTH] = {1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9,
                                                                  6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1};

__global__ void gaussian_clamped(const unsigned char* in, unsigned char* out, int rows, int cols) {
  const int2 p = make_int2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
  if (p.x >= cols || p.y >= rows) return;
  float sum = 0.f;
  for (int dy = -FILTER_WIDTH / 2; dy <= FILTER_WIDTH / 2; ++dy)
    for (int dx = -FILTER_WIDTH / 2; dx <= FILTER_WIDTH / 2; ++dx) {
      int y = min(max(p.y + dy, 0), rows - 1);
      int x = min(max(p.x + dx, 0), cols - 1);
      sum +=
          in[y * cols + x] * filter_weights[(dy + FILTER_WIDTH / 2) * FILTER_WIDTH + dx + FILTER_WIDTH / 2];
    }
  out[p.y * cols + p.x] = (unsigned char)(sum / 81.f);
}

// Filter width at run time: the constant is indexed by the loop.
__constant__ float mask_weights[64] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f, 0.05f, 0.02f};
__global__ void convolve_mask(const float* n, float* p, int mask_width, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
  int start = i - (mask_width / 2);
  for (int j = 0; j < mask_width; j++) {
    if (start + j >= 0 && start + j < width) value += n[start + j] * mask_weights[j];
  }
  if (i < width) p[i] = value;
}

#define TILE 16
#define RADIUS 2
__global__ void convolve_halo(const float* in, float* out, int height, int width) {
  __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
  int x = blockIdx.x * TILE + threadIdx.x - RADIUS;
  int y = blockIdx.y * TILE + threadIdx.y - RADIUS;
  if (x >= 0 && x < width && y >= 0 && y < height)
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  else
    tile[threadIdx.y][threadIdx.x] = 0.0f;
  __syncthreads();
  if (threadIdx.y >= RADIUS && threadIdx.y < TILE + RADIUS && threadIdx.x >= RADIUS &&
      threadIdx.x < TILE + RADIUS) {
    float sum = 0.0f;
    for (int i = -RADIUS; i <= RADIUS; i++)
      for (int j = -RADIUS; j <= RADIUS; j++)
        sum += filter_weights[(i + RADIUS) * 5 + j + RADIUS] * tile[threadIdx.y + i][threadIdx.x + j];
    if (x < width && y < height) out[y * width + x] = sum;
  }
}

__global__ void kogge_stone(float* x, float* y, unsigned int n) {
  __shared__ float xy[128];
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  xy[threadIdx.x] = i < n ? x[i] : 0.0f;
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    float temp = 0;
    if (threadIdx.x >= stride) temp = xy[threadIdx.x] + xy[threadIdx.x - stride];
    __syncthreads();
    if (threadIdx.x >= stride) xy[threadIdx.x] = temp;
  }
  if (i < n) y[i] = xy[threadIdx.x];
}

__global__ void brent_kung(const float* x, float* y, int n) {
  __shared__ float xy[256];
  int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) xy[threadIdx.x] = x[i];
  if (i + blockDim.x < n) xy[threadIdx.x + blockDim.x] = x[i + blockDim.x];
  for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
    if (index < 256) xy[index] += xy[index - stride];
  }
  for (int stride = 256 / 4; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
    if (index + stride < 256) xy[index + stride] += xy[index];
  }
  __syncthreads();
  if (i < n) y[i] = xy[threadIdx.x];
  if (i + blockDim.x < n) y[i + blockDim.x] = xy[threadIdx.x + blockDim.x];
}

// 0/1 letters counted in ranges of four, privatised.
__global__ void letter_histogram(const char* data, unsigned int length, unsigned int* histo) {
  __shared__ unsigned int histo_s[7];
  for (unsigned int bin = threadIdx.x; bin < 7; bin += blockDim.x) histo_s[bin] = 0u;
  __syncthreads();
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned int i = tid; i < length; i += blockDim.x * gridDim.x) {
    int alphabet_position = data[i] - 'a';
    if (alphabet_position >= 0 && alphabet_position < 26) atomicAdd(&(histo_s[alphabet_position / 4]), 1);
  }
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < 7; bin += blockDim.x) {
    unsigned int value = histo_s[bin];
    if (value > 0) atomicAdd(&(histo[bin]), value);
  }
}

__global__ void histogram_accumulate(const int* data, int length, int* bins) {
  __shared__ int local_bins[64];
  if (threadIdx.x < 64) local_bins[threadIdx.x] = 0;
  __syncthreads();
  int accumulator = 0, previous = -1;
  for (int i = threadIdx.x * 8; i < min(length, (int)(threadIdx.x + 1) * 8); ++i) {
    int bin = data[blockIdx.x * length + i] & 63;
    if (bin == previous) {
      ++accumulator;
    } else {
      if (accumulator > 0) atomicAdd(&local_bins[previous], accumulator);
      accumulator = 1;
      previous = bin;
    }
  }
  if (accumulator > 0) atomicAdd(&local_bins[previous], accumulator);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local_bins[threadIdx.x]);
}

__global__ void add_matrices(const double* a, const double* b, double* c, int rows, int cols, int pitch) {
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < cols; k += gridDim.x * blockDim.x)
      c[r * pitch + k] = a[r * pitch + k] + 0.5 * b[r * pitch + k];
}

__global__ void saxpy_stride(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

// Coarsened tiled product (Programming Massively Parallel Processors, chapter 6).
#define COARSE 4
__global__ void matmul_coarse(const float* M, const float* N, float* P, int width) {
  __shared__ float Mds[16][16];
  __shared__ float Nds[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col_start = blockIdx.x * 16 * COARSE + tx;
  float value[COARSE];
  for (int c = 0; c < COARSE; ++c) value[c] = 0.0f;
  for (int ph = 0; ph < width / 16; ++ph) {
    Mds[ty][tx] = M[row * width + ph * 16 + tx];
    for (int c = 0; c < COARSE; ++c) {
      int col = col_start + c * 16;
      Nds[ty][tx] = N[(ph * 16 + ty) * width + col];
      __syncthreads();
      for (int k = 0; k < 16; ++k) value[c] += Mds[ty][k] * Nds[k][tx];
      __syncthreads();
    }
  }
  for (int c = 0; c < COARSE; ++c) P[row * width + col_start + c * 16] = value[c];
}

__global__ void merge_path(const int* a, int m, const int* b, int n, int* c, int per_thread) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int k = min(tid * per_thread, m + n), k_next = min(k + per_thread, m + n);
  int lo = max(0, k - n), hi = min(k, m);
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] <= b[k - 1 - mid])
      lo = mid + 1;
    else
      hi = mid;
  }
  int i = lo, j = k - lo;
  for (; k < k_next; ++k) {
    if (j >= n || (i < m && a[i] <= b[j]))
      c[k] = a[i++];
    else
      c[k] = b[j++];
  }
}
