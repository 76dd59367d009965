// Each block counts in its own shared memory and hands its sums over once.
__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  __shared__ unsigned int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
