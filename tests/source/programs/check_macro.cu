//= scale grid 256 1 1 | block 128 1 1 | shared 0 | 131072B | 32768 | 0.5
#include <cstdio>
#define CHECK(call)                                            \
  do {                                                         \
    cudaError_t status = (call);                               \
    if (status != cudaSuccess) {                               \
      fprintf(stderr, "%s:%d\n", __FILE__, __LINE__);         \
      exit(EXIT_FAILURE);                                      \
    }                                                          \
  } while (0)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
constexpr int kThreads = 128;
__global__ void scale(float* data, int count, float by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] *= by;
}
int main() {
  const int count = 1 << 15;
  float* data = nullptr;
  CHECK(cudaMalloc((void**)&data, sizeof(float) * count));
  CHECK(cudaMemset(data, 0, sizeof(float) * count));
  scale<<<CEIL_DIV(count, kThreads), kThreads>>>(data, count, 0.5f);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(data));
}
