// Butterflies.

__global__ void fft_shared(const float2* in, float2* out) {
  __shared__ float2 s[256];
  int t = threadIdx.x;  // 128
  int base = blockIdx.x * 256;
  for (int k = t; k < 256; k += 128) s[__brev(k) >> 24] = in[base + k];
  __syncthreads();
  for (int half = 1; half < 256; half *= 2) {
    int j = t & (half - 1);
    int i = ((t - j) << 1) + j;
    float si, co;
    __sincosf(-3.14159265f * j / half, &si, &co);
    float2 a = s[i], b = s[i + half];
    float2 w = make_float2(b.x * co - b.y * si, b.x * si + b.y * co);
    s[i] = make_float2(a.x + w.x, a.y + w.y);
    s[i + half] = make_float2(a.x - w.x, a.y - w.y);
    __syncthreads();
  }
  for (int k = t; k < 256; k += 128) out[base + k] = s[k];
}

__global__ void walsh_hadamard(float* data, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  for (int k = t; k < n; k += blockDim.x) s[k] = data[blockIdx.x * n + k];
  for (int h = 1; h < n; h *= 2) {
    __syncthreads();
    for (int k = t; k < n / 2; k += blockDim.x) {
      int i = (k / h) * 2 * h + k % h;
      float a = s[i], b = s[i + h];
      s[i] = a + b;
      s[i + h] = a - b;
    }
  }
  __syncthreads();
  for (int k = t; k < n; k += blockDim.x) data[blockIdx.x * n + k] = s[k];
}

__global__ void bit_reverse(const float2* in, float2* out, int bits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void dct_8(const float* in, float* out) {
  __shared__ float block[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  block[y][x] = in[(blockIdx.y * 8 + y) * (gridDim.x * 8) + blockIdx.x * 8 + x];
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += block[y][k] * __cosf((2 * k + 1) * x * 0.19634954f);
  __syncthreads();
  block[y][x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int k = 0; k < 8; ++k) sum += block[k][x] * __cosf((2 * k + 1) * y * 0.19634954f);
  out[(blockIdx.y * 8 + y) * (gridDim.x * 8) + blockIdx.x * 8 + x] = sum * 0.25f;
}
