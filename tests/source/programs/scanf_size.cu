//= fill grid ? | block 32 1 1 | shared 0 | ? | ?
#include <cstdio>
#include <iostream>
__global__ void fill(int* p, int n) { int i = blockIdx.x * 32 + threadIdx.x; if (i < n) p[i] = i; }
int main() {
  int n;
  std::cin >> n;
  int* p;
  cudaMalloc(&p, n * sizeof(int));
  fill<<<(n + 31) / 32, 32>>>(p, n);
}
