//= k grid ? | block 64 1 1 | shared 0 | 1024B
#include <cstdlib>
__global__ void k(float* p) { p[threadIdx.x] = 1; }
int main() {
  int blocks = rand() % 10 + 1;
  float* p;
  cudaMalloc(&p, 1024);
  k<<<blocks, 64>>>(p);
}
