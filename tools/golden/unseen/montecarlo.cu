// Pi by throwing darts: each thread has a generator of its own, a block adds up, one atomic a block.
__global__ void darts(unsigned long long* hits, int throws) {
  __shared__ int inside[256];
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 2891336453u;
  int mine = 0;
  for (int k = 0; k < throws; ++k) {
    state = state * 1664525u + 1013904223u;
    const float x = (state >> 8) * (1.0f / 16777216.0f);
    state = state * 1664525u + 1013904223u;
    const float y = (state >> 8) * (1.0f / 16777216.0f);
    mine += x * x + y * y < 1.0f;
  }
  inside[threadIdx.x] = mine;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) inside[threadIdx.x] += inside[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(hits, static_cast<unsigned long long>(inside[0]));
}
