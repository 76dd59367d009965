// Histograms.

__global__ void histogram_global(const unsigned* in, unsigned* bins, int n, int bins_count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] % bins_count], 1u);
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void histogram_warps(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[8][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  local[warp][lane] = 0;
  local[warp][lane + 32] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[warp][in[i] >> 2], 1u);
  __syncthreads();
  if (threadIdx.x < 64) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += local[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
  }
}

__global__ void histogram_uchar4(const uchar4* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uchar4 p = in[i];
    atomicAdd(&local[p.x], 1u);
    atomicAdd(&local[p.y], 1u);
    atomicAdd(&local[p.z], 1u);
    atomicAdd(&local[p.w], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x)
    if (local[k]) atomicAdd(&bins[k], local[k]);
}

__global__ void histogram_weights(const float* value, const float* weight, float* bins, int n) {
  __shared__ float local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0.0f;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int b = static_cast<int>((value[i] + 1.0f) * 31.99f);
    atomicAdd(&local[b], weight[i]);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// Counters of 16 bits, two in a word, a private column for each thread.
__global__ void histogram_private(const unsigned char* in, unsigned* bins, int per_thread) {
  __shared__ unsigned short local[16][64];
  int t = threadIdx.x;
  for (int b = 0; b < 16; ++b) local[b][t] = 0;
  for (int k = 0; k < per_thread; ++k) ++local[in[(blockIdx.x * per_thread + k) * 64 + t] >> 4][t];
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int k = 0; k < 64; ++k) sum += local[t][(k + t) & 63];
    atomicAdd(&bins[t], sum);
  }
}
