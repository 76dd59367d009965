// 64 bins; every element is counted in global memory.
__global__ void histogram(const unsigned char* in, unsigned int* bins, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) atomicAdd(&bins[in[i]], 1u);
}
