// Kernels whose resources limit how many blocks fit.

__global__ void big_shared(const float* in, float* out) {
  extern __shared__ float s[];
  for (int k = threadIdx.x; k < 12000; k += blockDim.x) s[k] = in[k];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x * 37) % 12000];
}

__global__ void tiny_blocks(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

__global__ void full_block(const int* in, int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 1024 + threadIdx.x] = s[1023 - threadIdx.x];
}

__global__ void ragged_block(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[n - 1 - i] + threadIdx.x;
}

__global__ void many_registers(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[40];
#pragma unroll
  for (int k = 0; k < 40; ++k) v[k] = in[(i + 64 * k) % n];
#pragma unroll 1
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int k = 0; k < 40; ++k) v[k] = v[k] * 0.99f + v[(k * 7 + 3) % 40];
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 40; ++k) s += v[k];
  out[i] = s;
}
