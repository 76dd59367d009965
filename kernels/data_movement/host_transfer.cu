// To the GPU and back: what a copy costs depends on its size and on the host memory it starts from.
//
// Ordinary ("pageable") host memory is first copied into a page-locked buffer of the driver, piece by piece;
// page-locked ("pinned") memory is read by the GPU itself. Every copy costs a few microseconds however small
// it is, so many small ones take longer than one large one.
__global__ void double_all(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = 2.0f * data[i];
}

#include <cuda_runtime.h>

// The same work three ways; `n` floats each.
void pageable(float* device, int n) {
  float* host = new float[n]();
  cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
  double_all<<<(n + 255) / 256, 256>>>(device, n);
  cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
  delete[] host;
}

void pinned(float* device, int n) {
  float* host = nullptr;
  cudaMallocHost(&host, n * sizeof(float));
  cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
  double_all<<<(n + 255) / 256, 256>>>(device, n);
  cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFreeHost(host);
}

void many_small(float* device, float* host, int n) {
  for (int i = 0; i < n; i += 1024) {
    cudaMemcpy(device + i, host + i, 1024 * sizeof(float), cudaMemcpyHostToDevice);
  }
}
