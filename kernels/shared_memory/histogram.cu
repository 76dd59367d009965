// Counting values with atomics: the data decides how much lanes get in each other's way.
//
// Lanes that hit the same counter with a weight of their own are served one at a time. (Plain ones the
// hardware adds up in a single pass.) Counters in shared memory keep the traffic off the global ones: every
// block counts for itself and adds its result at the end. A set of counters for each warp keeps warps apart
// as well, but has to be cleared and added up.
#define BINS 64
#ifndef WEIGHTED
#define WEIGHTED 0
#endif

__device__ unsigned int amount_of(unsigned int value) {
#if WEIGHTED
  return value + 1;
#else
  return 1;
#endif
}

__global__ void histogram_global(const unsigned int* values, unsigned int* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned int value = values[i];
    atomicAdd(&bins[value % BINS], amount_of(value));
  }
}

__global__ void histogram_block(const unsigned int* values, unsigned int* bins, int n) {
  __shared__ unsigned int mine[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned int value = values[i];
    atomicAdd(&mine[value % BINS], amount_of(value));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

__global__ void histogram_warp(const unsigned int* values, unsigned int* bins, int n) {
  __shared__ unsigned int mine[32 * BINS];  // one row of counters for each warp
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  for (int b = threadIdx.x; b < warps * BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned int value = values[i];
    atomicAdd(&mine[warp * BINS + value % BINS], amount_of(value));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < warps; ++w) sum += mine[w * BINS + b];
    atomicAdd(&bins[b], sum);
  }
}
