//= reduce<128> grid 512 1 1 | block 128 1 1 | shared 0 | 262144B | 2048B | 65536
//! instances reduce<64>, reduce<128>
template <int B> __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float s[B];
  s[threadIdx.x] = in[blockIdx.x * B + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s[n % B];
}
template __global__ void reduce<64>(const float*, float*, int);
int main() {
  const int n = 65536;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n / 128 * sizeof(float));
  reduce<128><<<n / 128, 128>>>(in, out, n);
}
