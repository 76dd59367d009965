// One step of a bitonic sort in global memory, and the last steps of a block in shared memory.
__global__ void bitonic_step(int* data, int j, int k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other > i) {
    const int a = data[i], b = data[other];
    if (((i & k) == 0) == (a > b)) {
      data[i] = b;
      data[other] = a;
    }
  }
}
__global__ void bitonic_block(int* data, int k) {
  __shared__ int part[512];
  const unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
  part[t] = data[i];
  for (int j = 256; j > 0; j >>= 1) {
    __syncthreads();
    const unsigned other = t ^ j;
    if (other > t) {
      const int a = part[t], b = part[other];
      if (((i & k) == 0) == (a > b)) {
        part[t] = b;
        part[other] = a;
      }
    }
  }
  __syncthreads();
  data[i] = part[t];
}
