// The classic series of sums, from divergent to shuffled.

__global__ void reduce_modulo(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void reduce_strided_index(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    unsigned index = 2 * k * t;
    if (index < blockDim.x) s[index] += s[index + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void reduce_sequential(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void reduce_first_add(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + t;
  s[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

__device__ void warp_reduce(volatile int* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

__global__ void reduce_last_warp(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + t;
  s[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 32; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32) warp_reduce(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

template <unsigned BLOCK>
__global__ void reduce_unrolled(const int* in, int* out, unsigned n) {
  __shared__ int s[BLOCK];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * (BLOCK * 2) + t;
  int sum = 0;
  for (; i < n; i += BLOCK * 2 * gridDim.x) {
    sum += in[i];
    if (i + BLOCK < n) sum += in[i + BLOCK];
  }
  s[t] = sum;
  __syncthreads();
  if (BLOCK >= 512) { if (t < 256) s[t] = sum = sum + s[t + 256]; __syncthreads(); }
  if (BLOCK >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
  if (BLOCK >= 128) { if (t < 64) s[t] = sum = sum + s[t + 64]; __syncthreads(); }
  if (t < 32) {
    sum += s[t + 32];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
  }
  if (t == 0) out[blockIdx.x] = sum;
}
template __global__ void reduce_unrolled<128>(const int*, int*, unsigned);
template __global__ void reduce_unrolled<256>(const int*, int*, unsigned);

__global__ void reduce_shuffle(const float* in, float* out, int n) {
  __shared__ float part[32];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? part[lane] : 0.0f;
    for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

__global__ void reduce_atomic_int(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

__global__ void reduce_atomic_float(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

__global__ void reduce_shared_atomic(const int* in, int* out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, total);
}

__global__ void dot_product(const float* a, const float* b, float* out, int n) {
  __shared__ float cache[256];
  float temp = 0.0f;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) temp += a[i] * b[i];
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

__global__ void arg_max(const float* in, float* best, int* where, int n) {
  __shared__ float v[128];
  __shared__ int at[128];
  int t = threadIdx.x;
  float b = -1e30f;
  int w = -1;
  for (int i = t; i < n; i += blockDim.x) {
    if (in[i] > b) {
      b = in[i];
      w = i;
    }
  }
  v[t] = b;
  at[t] = w;
  __syncthreads();
  for (int k = 64; k > 0; k >>= 1) {
    if (t < k && (v[t + k] > v[t] || (v[t + k] == v[t] && at[t + k] < at[t]))) {
      v[t] = v[t + k];
      at[t] = at[t + k];
    }
    __syncthreads();
  }
  if (t == 0) {
    best[0] = v[0];
    where[0] = at[0];
  }
}

__global__ void column_sums(const double* in, double* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  double sum = 0.0;
  for (int r = 0; r < rows; ++r) sum += in[r * cols + c];
  out[c] = sum;
}

__global__ void row_sums(const float* in, float* out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) sum += in[r * cols + c];
  out[r] = sum;
}
