// Sparse matrix times vector.

__global__ void csr_scalar(const int* row, const int* col, const float* val, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = row[r]; k < row[r + 1]; ++k) sum += val[k] * x[col[k]];
  y[r] = sum;
}

__global__ void csr_vector(const int* row, const int* col, const float* val, const float* x, float* y, int rows) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = row[r] + lane; k < row[r + 1]; k += 32) sum += val[k] * x[col[k]];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
  if (lane == 0) y[r] = sum;
}

__global__ void ell(const int* col, const float* val, const float* x, float* y, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) sum += val[k * rows + r] * x[col[k * rows + r]];
  y[r] = sum;
}

__global__ void coo(const int* row, const int* col, const float* val, const float* x, float* y, int count) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) atomicAdd(&y[row[k]], val[k] * x[col[k]]);
}
