// Summing a block in four classic forms. All give the same sum; look at the lanes and the banks.
//
// 1 interleaved with modulo: every second, fourth, eighth thread works, spread over all warps.
// 2 interleaved with a strided index: the first threads work, but their words move apart in the banks.
// 3 sequential: the first threads work on neighbouring words. No divergence but in the last warp, no conflicts.
// 4 shuffle: within a warp values travel between registers, without shared memory.
__global__ void reduce_modulo(const float* in, float* out, int n) {
  __shared__ float part[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) {
      part[t] += part[t + step];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void reduce_strided(const float* in, float* out, int n) {
  __shared__ float part[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int at = 2 * step * t;
    if (at < blockDim.x) {
      part[at] += part[at + step];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void reduce_sequential(const float* in, float* out, int n) {
  __shared__ float part[1024];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) {
      part[t] += part[t + step];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void reduce_shuffle(const float* in, float* out, int n) {
  __shared__ float part[32];  // one sum a warp
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float sum = i < n ? in[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
  }
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = t < blockDim.x / 32 ? part[t] : 0.0f;
    for (int step = 16; step > 0; step /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (t == 0) out[blockIdx.x] = sum;
  }
}
