//= k grid 10 1 1 | block 100 1 1 | shared 0 | 4000B | 1000
//= k grid 20 1 1 | block 100 1 1 | shared 0 | 4000B | 1000
__global__ void k(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }
int main() {
  const int n = 1000;
  float* p;
  cudaMalloc(&p, n * sizeof(float));
  auto run = [&](int threads, int factor) { k<<<factor * n / threads, threads>>>(p, n); };
  run(100, 1);
  run(100, 2);
}
