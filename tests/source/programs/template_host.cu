//= fill<float> grid 4 1 1 | block 256 1 1 | shared 0 | 4096B | 1 | 1000
//= fill<double> grid 8 1 1 | block 256 1 1 | shared 0 | 16000B | 1 | 2000
//! instances fill<float>, fill<double>
template <typename T> __global__ void fill(T* p, T value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}
template <typename T> void run(int n) {
  T* p;
  size_t bytes = n * sizeof(T);
  if (n == 1000) bytes = 1024 * sizeof(T);
  cudaMalloc(&p, bytes);
  fill<<<(n + 255) / 256, 256>>>(p, T(1), n);
  cudaFree(p);
}
int main() {
  run<float>(1000);
  run<double>(2000);
}
