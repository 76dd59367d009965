// Tiles in shared memory, 2-D grids, streams and events.
#include <vector>

#include "check.h"

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / kTile; ++t) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t * kTile + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t * kTile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * kTile + threadIdx.y) * n + blockIdx.x * kTile + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * kTile + threadIdx.y) * n + blockIdx.y * kTile + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 64;
  const std::size_t bytes = n * n * sizeof(float);
  float *a, *b, *c, *t, *host;
  CHECK(cudaMallocHost(&host, bytes));
  for (auto p : {&a, &b, &c, &t}) CHECK(cudaMalloc(p, bytes));
  for (int i = 0; i < n * n; ++i) host[i] = static_cast<float>(i % 7);
  cudaStream_t first, second;
  cudaEvent_t begin, end, copied;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CHECK(cudaEventRecord(begin, first));
  CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, first));
  CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, first));
  CHECK(cudaEventRecord(copied, first));
  CHECK(cudaStreamWaitEvent(second, copied, 0));
  const dim3 grid(n / kTile, n / kTile), block(kTile, kTile);
  multiply<<<grid, block, 0, second>>>(a, b, c, n);
  transpose<<<grid, block, 0, second>>>(c, t, n);
  CHECK(cudaEventRecord(end, second));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 0);
  EXPECT(cudaEventElapsedTime(&milliseconds, begin, copied) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  std::vector<float> in(host, host + n * n);
  CHECK(cudaMemcpyAsync(host, t, bytes, cudaMemcpyDeviceToHost, second));
  CHECK(cudaStreamSynchronize(second));
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += in[row * n + k] * in[k * n + column];
      EXPECT(host[column * n + row] == sum);
    }
  CHECK(cudaFreeHost(host));
  std::printf("multiplied and transposed\n");
}
