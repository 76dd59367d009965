//= spmv grid 40 1 1 | block 256 1 1 | shared 0 | 40004B | 400000B | 40000B | 10000
#include <unistd.h>
#include <cstdlib>
__global__ void spmv(const int* rows, const float* values, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { float s = 0; for (int j = rows[i] % 100; j < 100; ++j) s += values[j]; y[i] = s; } }
int main(int argc, char* argv[]) {
  int n = 10000, nnz = 100000, opt;
  while ((opt = getopt(argc, argv, "n:z:")) != -1) {
    switch (opt) {
      case 'n': n = atoi(optarg); break;
      case 'z': nnz = atoi(optarg); break;
      default: return 1;
    }
  }
  int* rows;
  float *values, *y;
  cudaMalloc(&rows, (n + 1) * sizeof(int));
  cudaMalloc(&values, nnz * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  spmv<<<(n + 255) / 256, 256>>>(rows, values, y, n);
}
