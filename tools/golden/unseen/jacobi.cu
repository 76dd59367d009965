// One step of Jacobi's method on a grid: each point becomes the mean of its four neighbours.
__global__ void jacobi(const float* __restrict__ u, float* __restrict__ next, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x < nx - 1 && y < ny - 1) {
    next[y * nx + x] = 0.25f * (u[y * nx + x - 1] + u[y * nx + x + 1] + u[(y - 1) * nx + x] + u[(y + 1) * nx + x]);
  }
}

// The same with the block's points and their halo in shared memory.
__global__ void jacobi_shared(const float* __restrict__ u, float* __restrict__ next, int nx, int ny) {
  __shared__ float tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x < nx && y < ny) tile[ty][tx] = u[y * nx + x];
  if (threadIdx.x == 0 && x > 0 && y < ny) tile[ty][0] = u[y * nx + x - 1];
  if (threadIdx.x == 31 && x + 1 < nx && y < ny) tile[ty][33] = u[y * nx + x + 1];
  if (threadIdx.y == 0 && y > 0 && x < nx) tile[0][tx] = u[(y - 1) * nx + x];
  if (threadIdx.y == 7 && y + 1 < ny && x < nx) tile[9][tx] = u[(y + 1) * nx + x];
  __syncthreads();
  if (x > 0 && y > 0 && x < nx - 1 && y < ny - 1)
    next[y * nx + x] = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
