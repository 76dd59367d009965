//= k grid ? | block 128 1 1 | shared 0 | 4096B
#include <cstdio>
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main() {
  FILE* f = fopen("size.txt", "r");
  int blocks = 4;
  if (f) blocks = 8;
  float* p;
  cudaMalloc(&p, 4096);
  k<<<blocks, 128>>>(p);
}
