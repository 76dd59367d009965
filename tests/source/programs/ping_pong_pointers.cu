//= step grid 16 16 1 | block 16 16 1 | shared 0 | 262144B | 262144B | 256
__global__ void step(const float* a, float* b, int n) { int i = (blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x; b[i] = a[i]; }
int main() {
  const int n = 256;
  float* buf[2];
  for (int i = 0; i < 2; i++) cudaMalloc(&buf[i], n * n * sizeof(float));
  dim3 block(16, 16), grid(n / 16, n / 16);
  int src = 0;
  step<<<grid, block>>>(buf[src], buf[1 - src], n);
}
