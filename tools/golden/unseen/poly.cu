__global__ void horner(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], s = 1.0;
#pragma unroll
  for (int k = 0; k < 64; ++k) s = s * v + 0.5;
  y[i] = s;
}
__global__ void branchy(const int* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i] & 3;
  float s = i;
  if (v == 0) for (int k = 0; k < 64; ++k) s = s * 1.01f + 1;
  else if (v == 1) for (int k = 0; k < 64; ++k) s = s * 0.99f - 1;
  else s = sqrtf(s);
  out[i] = s;
}
