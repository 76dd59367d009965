//= add grid 4 1 1 | block 256 1 1 | shared 0 | 4096B | 1024
//= add grid 16 1 1 | block 256 1 1 | shared 0 | 16384B | 4096
//= add grid 64 1 1 | block 256 1 1 | shared 0 | 65536B | 16384
__global__ void add(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i]++; }
void bench(int n) {
  int* p;
  cudaMalloc(&p, n * sizeof(int));
  add<<<n / 256, 256>>>(p, n);
  cudaFree(p);
}
int main() {
  int sizes[] = {1024, 4096, 16384};
  for (int s : sizes) bench(s);
}
