// C = A * B, one thread an element, straight from global memory.
//
// Each thread reads a row of A and a column of B. What matters is how the lanes lie: with lanes along a
// row of C the loads of B are coalesced and those of A are a broadcast; with lanes down a column, B is a
// broadcast and the loads of A (and the stores) are one row apart.
__global__ void matmul_lanes_along_row(const float* a, const float* b, float* c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + col];
  }
  c[row * n + col] = sum;
}

__global__ void matmul_lanes_down_column(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + col];
  }
  c[row * n + col] = sum;
}
