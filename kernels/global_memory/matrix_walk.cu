// Summing the rows of a matrix, or its columns: one thread for each.
//
// A thread that walks along its row looks tidy, but the lanes of a warp are then one row apart, and every
// load touches 32 sectors. With a thread for each column the lanes stay side by side all the way down.
__global__ void sum_rows(const float* matrix, float* out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0.0f;
  for (int col = 0; col < n; ++col) {
    sum += matrix[row * n + col];
  }
  out[row] = sum;
}

__global__ void sum_columns(const float* matrix, float* out, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= n) return;
  float sum = 0.0f;
  for (int row = 0; row < n; ++row) {
    sum += matrix[row * n + col];
  }
  out[col] = sum;
}
