//= fill grid ? | block 256 1 1 | shared 0 | ? | ?
#include <stdio.h>
#include <stdlib.h>
__global__ void fill(int* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s N\n", argv[0]);
    return 1;
  }
  int n = atoi(argv[1]);
  int* p;
  cudaMalloc(&p, n * sizeof(int));
  fill<<<(n + 255) / 256, 256>>>(p, n);
}
