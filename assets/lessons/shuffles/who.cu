// Which lanes hold the sum of the warp in the end? Only they store it.
__device__ int sum_across(int value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

__device__ int sum_down(int value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void who_down(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int right = sum_across(in[i]), sum = sum_down(in[i]);
  if (sum == right) out[i] = sum;
}

__global__ void who_across(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int right = __shfl_sync(0xffffffff, sum_down(in[i]), 0), sum = sum_across(in[i]);
  if (sum == right) out[i] = sum;
}
