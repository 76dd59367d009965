// Pictures and sound.

__global__ void yuv_to_rgb(const unsigned char* y, const unsigned char* u, const unsigned char* v, uchar4* out,
                           int width, int height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float Y = y[py * width + px];
  float U = u[(py / 2) * (width / 2) + px / 2] - 128.0f;
  float V = v[(py / 2) * (width / 2) + px / 2] - 128.0f;
  out[py * width + px] = make_uchar4(fminf(fmaxf(Y + 1.402f * V, 0.0f), 255.0f),
                                     fminf(fmaxf(Y - 0.344f * U - 0.714f * V, 0.0f), 255.0f),
                                     fminf(fmaxf(Y + 1.772f * U, 0.0f), 255.0f), 255);
}

__global__ void resize_bilinear(const float* in, float* out, int iw, int ih, int ow, int oh) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float fx = (x + 0.5f) * iw / ow - 0.5f, fy = (y + 0.5f) * ih / oh - 0.5f;
  int x0 = max(static_cast<int>(floorf(fx)), 0), y0 = max(static_cast<int>(floorf(fy)), 0);
  int x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
  float ax = fx - x0, ay = fy - y0;
  float top = in[y0 * iw + x0] * (1 - ax) + in[y0 * iw + x1] * ax;
  float bottom = in[y1 * iw + x0] * (1 - ax) + in[y1 * iw + x1] * ax;
  out[y * ow + x] = top * (1 - ay) + bottom * ay;
}

__global__ void rotate_90(const uchar4* in, uchar4* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + (height - 1 - y)] = in[y * width + x];
}

__global__ void fir(const short* in, short* out, const float* taps, int n, int count) {
  extern __shared__ float s[];
  float* tap = s;
  float* piece = s + count;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < count) tap[threadIdx.x] = taps[threadIdx.x];
  piece[threadIdx.x + count] = i < n ? in[i] : 0;
  if (threadIdx.x < count) piece[threadIdx.x] = i >= count ? in[i - count] : 0;
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < count; ++k) sum += tap[k] * piece[threadIdx.x + count - k];
  out[i] = static_cast<short>(sum / 16.0f);
}

__global__ void integral_rows(const unsigned char* in, unsigned* out, int width) {
  __shared__ unsigned s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * width + t];
  for (int k = 1; k < 256; k <<= 1) {
    __syncthreads();
    unsigned v = t >= k ? s[t - k] : 0;
    __syncthreads();
    s[t] += v;
  }
  out[blockIdx.x * width + t] = s[t];
}

__global__ void dilate(const unsigned* bits, unsigned* out, int words, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= words || y >= rows) return;
  unsigned r = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    int yy = min(max(y + dy, 0), rows - 1);
    unsigned c = bits[yy * words + x];
    unsigned l = x > 0 ? bits[yy * words + x - 1] >> 31 : 0;
    unsigned n = x < words - 1 ? bits[yy * words + x + 1] << 31 : 0;
    r |= c | (c << 1) | l | (c >> 1) | n;
  }
  out[y * words + x] = r;
}

__global__ void k_means_assign(const float2* point, const float2* centre, int* label, float2* sums, int* counts, int n,
                               int k) {
  extern __shared__ float2 c[];
  if (threadIdx.x < k) c[threadIdx.x] = centre[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = point[i];
  int best = 0;
  float d = 1e30f;
  for (int j = 0; j < k; ++j) {
    float dx = p.x - c[j].x, dy = p.y - c[j].y;
    float e = dx * dx + dy * dy;
    if (e < d) {
      d = e;
      best = j;
    }
  }
  label[i] = best;
  atomicAdd(&sums[best].x, p.x);
  atomicAdd(&sums[best].y, p.y);
  atomicAdd(&counts[best], 1);
}
