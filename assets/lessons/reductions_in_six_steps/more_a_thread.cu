// Steps five and six of the reduction.
//
// Five: every thread first adds up several elements in a register. The tree then has fewer leaves, and its
// cost is shared by more elements. Six: the first thread of a block adds its sum to the result itself, so
// that one launch is enough.
__device__ float sum_of_block(float sum) {
  __shared__ float part[32];  // one sum a warp
  int t = threadIdx.x;
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
  }
  return sum;
}

__device__ float own_elements(const float* in, int n, int each) {
  int first = blockIdx.x * blockDim.x * each + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < each; ++k) {
    int i = first + k * blockDim.x;  // the lanes of a warp stay neighbours
    if (i < n) sum += in[i];
  }
  return sum;
}

__global__ void reduce_more(const float* in, float* out, int n, int each) {
  float sum = sum_of_block(own_elements(in, n, each));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void reduce_at_once(const float* in, float* out, int n, int each) {
  float sum = sum_of_block(own_elements(in, n, each));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
