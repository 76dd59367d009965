//= add<int> grid 16 1 1 | block 64 1 1 | shared 0 | 4096B | 4096B | 1024
//! instances add<int>
template <class T> __global__ void add(T* a, const T* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
int main() {
  auto kernel = add<int>;
  int *a, *b;
  cudaMallocManaged(&a, 1024 * sizeof(int));
  cudaMallocManaged(&b, 1024 * sizeof(int));
  kernel<<<16, 64>>>(a, b, 1024);
  cudaDeviceSynchronize();
}
