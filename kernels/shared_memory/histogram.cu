// Counting values with atomics: the data decides how much lanes get in each other's way.
//
// When many lanes hit the same counter they are served one at a time. Counting per block in shared memory
// keeps the traffic off the global counters; counting per warp halves nothing but the contention.
#define BINS 64

__global__ void histogram_global(const unsigned int* values, unsigned int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[values[i] % BINS], 1u);
  }
}

__global__ void histogram_block(const unsigned int* values, unsigned int* bins, int n) {
  __shared__ unsigned int mine[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&mine[values[i] % BINS], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

__global__ void histogram_warp(const unsigned int* values, unsigned int* bins, int n) {
  __shared__ unsigned int mine[32 * BINS];  // one row of counters for each warp
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&mine[warp * BINS + values[i] % BINS], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < warps; ++w) sum += mine[w * BINS + b];
    atomicAdd(&bins[b], sum);
  }
}
