// A barrier that only some threads reach: who waits for whom?
//
// __syncthreads() must be reached by all threads of the block. Inside a branch that depends on the thread,
// some wait for others that never come, or meet them at another barrier. Move the barrier out of the
// branch.
__global__ void barrier_outside(float* x) {
  __shared__ float first;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) {
    first = x[i];
  }
  __syncthreads();
  x[i] += first;
}

__global__ void barrier_in_branch(float* x) {
  __shared__ float first;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t % 32 < 16) {
    if (t == 0) first = x[i];
    __syncthreads();
  }
  x[i] += first;
}
