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
