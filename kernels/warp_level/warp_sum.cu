// Adding up the 32 values of a warp: through shared memory, down, across, or in one instruction.
//
// Every round adds up values that are one larger than in the round before.
__global__ void sum_shared(const int* in, int* out, int n, int rounds) {
  __shared__ int part[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int value = i < n ? in[i] : 0, total = 0;
  for (int round = 0; round < rounds; ++round) {
    part[t] = value + round;
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
      if (t % 32 < step) part[t] += part[t + step];
      __syncwarp();
    }
    total += part[t / 32 * 32];
    __syncwarp();
  }
  if (i < n) out[i] = total;
}

// Only lane 0 holds the sum in the end, and hands it to the others.
__global__ void sum_down(const int* in, int* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0, total = 0;
  for (int round = 0; round < rounds; ++round) {
    int sum = value + round;
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    total += __shfl_sync(0xffffffff, sum, 0);
  }
  if (i < n) out[i] = total;
}

// In the butterfly every lane ends with the sum.
__global__ void sum_butterfly(const int* in, int* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0, total = 0;
  for (int round = 0; round < rounds; ++round) {
    int sum = value + round;
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    total += sum;
  }
  if (i < n) out[i] = total;
}

// Integers can be reduced by the hardware itself, since compute capability 8.0.
#if __CUDA_ARCH__ >= 800
__global__ void sum_reduce(const int* in, int* out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0, total = 0;
  for (int round = 0; round < rounds; ++round) {
    total += __reduce_add_sync(0xffffffff, value + round);
  }
  if (i < n) out[i] = total;
}
#endif
