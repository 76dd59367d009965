// A shuffle reads a register of another lane. That lane must take part.
//
// outside: all 32 lanes shuffle, and half of them use what they got.
// inside: only the lower half shuffles, but it reads lanes 16 to 31, which do not take part.
// activemask: the same with a mask that is true, which hides the mistake and mends nothing.
__global__ void fold_outside(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int mine = in[i];
  int other = __shfl_down_sync(0xffffffff, mine, 16);
  if (lane < 16) mine += other;
  out[i] = mine;
}

__global__ void fold_inside(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int mine = in[i];
  if (lane < 16) mine += __shfl_down_sync(0xffffffff, mine, 16);
  out[i] = mine;
}

__global__ void fold_activemask(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int mine = in[i];
  if (lane < 16) mine += __shfl_down_sync(__activemask(), mine, 16);
  out[i] = mine;
}

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
