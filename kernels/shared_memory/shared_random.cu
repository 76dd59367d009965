// Words in any order: is it the order that costs, or the bank?
//
// A permutation of 32 neighbouring words is free, since each still has a bank of its own. Random words
// collide as balls do that are thrown into 32 boxes: the fullest box decides, and with 32 balls it holds
// three or four.
__global__ void shared_words(const int* index, float* out, int n) {
  __shared__ float words[1024];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += blockDim.x) {
    words[i] = 0.5f * i;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + t;
  if (i < n) {
    out[i] = words[index[i]];
  }
}

__global__ void shared_permuted(const int*, float* out, int n) {
  __shared__ float words[1024];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += blockDim.x) {
    words[i] = 0.5f * i;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + t;
  if (i < n) {
    out[i] = words[(t * 11) % 32];
  }
}
