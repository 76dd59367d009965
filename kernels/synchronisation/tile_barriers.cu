// A tile needs two barriers. Leave one out, and warps race.
//
// Every turn a block loads a piece, and every thread then reads what others loaded. Without the first
// barrier a warp may read before the others have written. Without the second it may overwrite what others
// still read.
__global__ void rotate_both_barriers(const float* in, float* out, int pieces) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int piece = 0; piece < pieces; ++piece) {
    tile[t] = in[piece * 256 + t];
    __syncthreads();
    sum += tile[(t + 97) % 256];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

__global__ void rotate_no_first_barrier(const float* in, float* out, int pieces) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int piece = 0; piece < pieces; ++piece) {
    tile[t] = in[piece * 256 + t];
    sum += tile[(t + 97) % 256];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}

__global__ void rotate_no_second_barrier(const float* in, float* out, int pieces) {
  __shared__ float tile[256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int piece = 0; piece < pieces; ++piece) {
    tile[t] = in[piece * 256 + t];
    __syncthreads();
    sum += tile[(t + 97) % 256];
  }
  out[blockIdx.x * 256 + t] = sum;
}
