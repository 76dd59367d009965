//= axpy grid 40 1 1 | block 250 1 1 | shared 128 | 10000 | 3 | 40000B
__global__ void axpy(int n, float a, float* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= a; }
int main() {
  int n = 10000;
  float a = 3.0f, *x;
  cudaMalloc(&x, n * sizeof(float));
  void* args[] = {&n, &a, &x};
  cudaLaunchKernel((void*)axpy, dim3(40), dim3(250), args, 128, 0);
}
