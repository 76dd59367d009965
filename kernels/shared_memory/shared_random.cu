// Words in any order: is it the order that costs, or the bank?
//
// A permutation of 32 neighbouring words is free, since each still has a bank of its own. Random words
// collide as balls do that are thrown into 32 boxes: the fullest box decides, and with 32 balls it holds
// three or four. Both kernels do the same work; only the indices that they are given differ.
__global__ void shared_random(const int* random, const int*, float* out, int n, int turns) {
  __shared__ float words[1024];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += blockDim.x) {
    words[i] = 0.5f * i;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  int word = random[i];
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    sum += words[(word + turn) % 1024];
  }
  out[i] = sum;
}

// Lane k of a warp gets 11 words more than lane k - 1: 11 is odd, so the 32 words lie in 32 banks.
__global__ void shared_permuted(const int*, const int* permuted, float* out, int n, int turns) {
  __shared__ float words[1024];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += blockDim.x) {
    words[i] = 0.5f * i;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + t;
  if (i >= n) return;
  int word = permuted[i];
  float sum = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    sum += words[(word + turn) % 1024];
  }
  out[i] = sum;
}
