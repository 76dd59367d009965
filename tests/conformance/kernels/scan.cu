// Prefix sums.

__global__ void scan_hillis_steele(const int* in, int* out, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x;
  int from = 1, to = 0;
  temp[t] = t > 0 ? in[blockIdx.x * n + t - 1] : 0;
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    to = 1 - to;
    from = 1 - to;
    if (t >= offset)
      temp[to * n + t] = temp[from * n + t] + temp[from * n + t - offset];
    else
      temp[to * n + t] = temp[from * n + t];
    __syncthreads();
  }
  out[blockIdx.x * n + t] = temp[to * n + t];
}

__global__ void scan_blelloch(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  int offset = 1;
  int base = blockIdx.x * n;
  s[2 * t] = in[base + 2 * t];
  s[2 * t + 1] = in[base + 2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1;
      int b = offset * (2 * t + 2) - 1;
      s[b] += s[a];
    }
    offset *= 2;
  }
  if (t == 0) s[n - 1] = 0.0f;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1;
      int b = offset * (2 * t + 2) - 1;
      float x = s[a];
      s[a] = s[b];
      s[b] += x;
    }
  }
  __syncthreads();
  out[base + 2 * t] = s[2 * t];
  out[base + 2 * t + 1] = s[2 * t + 1];
}

#define AVOID(i) ((i) + ((i) >> 5))

__global__ void scan_blelloch_padded(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int t = threadIdx.x;
  int base = blockIdx.x * n;
  int ai = t, bi = t + n / 2;
  s[AVOID(ai)] = in[base + ai];
  s[AVOID(bi)] = in[base + bi];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = AVOID(offset * (2 * t + 1) - 1);
      int b = AVOID(offset * (2 * t + 2) - 1);
      s[b] += s[a];
    }
    offset *= 2;
  }
  if (t == 0) s[AVOID(n - 1)] = 0.0f;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = AVOID(offset * (2 * t + 1) - 1);
      int b = AVOID(offset * (2 * t + 2) - 1);
      float x = s[a];
      s[a] = s[b];
      s[b] += x;
    }
  }
  __syncthreads();
  out[base + ai] = s[AVOID(ai)];
  out[base + bi] = s[AVOID(bi)];
}

__device__ __forceinline__ int warp_scan(int v) {
  int lane = threadIdx.x & 31;
#pragma unroll
  for (int k = 1; k < 32; k <<= 1) {
    int u = __shfl_up_sync(0xffffffffu, v, k);
    if (lane >= k) v += u;
  }
  return v;
}

__global__ void scan_warps(const int* in, int* out, int* sums, int n) {
  __shared__ int totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = warp_scan(i < n ? in[i] : 0);
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = lane < blockDim.x / 32 ? totals[lane] : 0;
    totals[lane] = warp_scan(s);
  }
  __syncthreads();
  if (warp > 0) v += totals[warp - 1];
  if (i < n) out[i] = v;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}

__global__ void scan_serial_chunks(const int* in, int* out, int chunk) {
  __shared__ int part[64];
  int t = threadIdx.x;
  int base = t * chunk;
  int sum = 0;
  for (int k = 0; k < chunk; ++k) sum += in[base + k];
  part[t] = sum;
  __syncthreads();
  if (t == 0) {
    int run = 0;
    for (int k = 0; k < 64; ++k) {
      int v = part[k];
      part[k] = run;
      run += v;
    }
  }
  __syncthreads();
  int run = part[t];
  for (int k = 0; k < chunk; ++k) {
    run += in[base + k];
    out[base + k] = run;
  }
}
