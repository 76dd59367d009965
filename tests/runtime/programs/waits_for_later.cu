// A kernel that waits for a byte which a kernel launched after it sets: on a GPU both run together. Here
// launches run one after the other, which is told, and the wait is ended.
#include <cstdio>

__global__ void wait_for(volatile unsigned char* flag) {
  if (threadIdx.x == 0)
    while (*flag == 0) {}
  __syncthreads();
}
__global__ void set(volatile unsigned char* flag) { *flag = 1; }

int main() {
  unsigned char* flag;
  cudaStream_t first, second;
  cudaMalloc(&flag, 1);
  cudaMemset(flag, 0, 1);
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  wait_for<<<1, 64, 0, first>>>(flag);
  set<<<1, 1, 0, second>>>(flag);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
