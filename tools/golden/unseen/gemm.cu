#define T 32
__global__ void gemm_tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float a[T][T], b[T][T];
  int r = blockIdx.y * T + threadIdx.y, c = blockIdx.x * T + threadIdx.x;
  float s = 0;
  for (int k = 0; k < n; k += T) {
    a[threadIdx.y][threadIdx.x] = A[r * n + k + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * n + c];
    __syncthreads();
    for (int i = 0; i < T; ++i) s += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  C[r * n + c] = s;
}
