// rows of 16 entries each, columns scattered
__global__ void spmv_scalar(const int* col, const float* val, const float* x, float* y, int rows, int each) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = 0; k < each; ++k) s += val[r * each + k] * x[col[r * each + k]];
  y[r] = s;
}
__global__ void spmv_warp(const int* col, const float* val, const float* x, float* y, int rows, int each) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float s = 0;
  for (int k = lane; k < each; k += 32) s += val[r * each + k] * x[col[r * each + k]];
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (lane == 0) y[r] = s;
}
