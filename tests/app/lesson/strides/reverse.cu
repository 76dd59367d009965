__global__ void reverse(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    out[i] = in[n - 1 - i];
  }
}
