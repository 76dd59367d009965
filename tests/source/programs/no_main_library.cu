//= relu grid ? | block 256 1 1 | shared 0 | ? | ? | ?
__global__ void relu(const float* in, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] > 0 ? in[i] : 0; }
extern "C" void solve(const float* input, float* output, int N) {
  int threadsPerBlock = 256;
  int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
  relu<<<blocksPerGrid, threadsPerBlock>>>(input, output, N);
  cudaDeviceSynchronize();
}
