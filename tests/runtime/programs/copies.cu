// Pitched and 3-D memory, fills, copies of all directions and what is refused.
#include <vector>

#include "check.h"

__global__ void fill(char* base, std::size_t pitch, int width, int height) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height) reinterpret_cast<float*>(base + y * pitch)[x] = 100.0f * y + x;
}

int main() {
  const int width = 30, height = 5;
  char* pitched;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, width * sizeof(float), height));
  EXPECT(pitch >= width * sizeof(float) && pitch % 32 == 0);
  CHECK(cudaMemset2D(pitched, pitch, 0xff, width * sizeof(float), height));
  fill<<<height, 32>>>(pitched, pitch, width, height);
  std::vector<float> host(width * height);
  CHECK(cudaMemcpy2D(host.data(), width * sizeof(float), pitched, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT(host[y * width + x] == 100.0f * y + x);

  const cudaExtent extent = make_cudaExtent(8 * sizeof(int), 4, 3);
  cudaPitchedPtr volume;
  CHECK(cudaMalloc3D(&volume, extent));
  CHECK(cudaMemset3D(volume, 0, extent));
  std::vector<int> cube(8 * 4 * 3), back(8 * 4 * 3);
  for (std::size_t i = 0; i < cube.size(); ++i) cube[i] = static_cast<int>(i * i);
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(cube.data(), 8 * sizeof(int), 8, 4);
  p.dstPtr = volume;
  p.extent = extent;
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  p.srcPtr = volume;
  p.dstPtr = make_cudaPitchedPtr(back.data(), 8 * sizeof(int), 8, 4);
  p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  EXPECT(back == cube);

  int *a, *b;
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
  CHECK(cudaMemset(a, 1, 64));
  CHECK(cudaMemcpy(b, a, 64, cudaMemcpyDefault));
  int seen[16];
  CHECK(cudaMemcpy(seen, b, 64, cudaMemcpyDeviceToHost));
  for (int v : seen) EXPECT(v == 0x01010101);
  EXPECT(cudaMemcpy(a, seen, 65, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
  EXPECT(cudaMemcpy(seen, host.data(), 64, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaFree(seen) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr));
  CHECK(cudaFree(a));
  EXPECT(cudaFree(a) == cudaErrorInvalidValue);
  cudaGetLastError();
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  void* far_too_much;
  EXPECT(cudaMalloc(&far_too_much, total * 2) == cudaErrorMemoryAllocation && free < total);
  std::printf("copied\n");
}
