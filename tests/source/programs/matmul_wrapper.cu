//= matMul grid 32 16 1 | block 16 16 1 | shared 0 | 1048576B | 2097152B | 524288B | 256 | 512 | 1024
#include <vector>
#define TILE 16
__global__ void matMul(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  if (row < M && col < N) {
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}
void multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c, int M, int N, int K) {
  float *dA, *dB, *dC;
  cudaMalloc(&dA, a.size() * sizeof(float));
  cudaMalloc(&dB, b.size() * sizeof(float));
  cudaMalloc(&dC, M * N * sizeof(float));
  dim3 threads(TILE, TILE);
  dim3 blocks((N + threads.x - 1) / threads.x, (M + threads.y - 1) / threads.y);
  matMul<<<blocks, threads>>>(dA, dB, dC, M, N, K);
  cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
}
int main() {
  int M = 256, N = 512, K = 1024;
  std::vector<float> a(M * K, 1.0f), b(K * N), c(M * N);
  multiply(a, b, c, M, N, K);
}
