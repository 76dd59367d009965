// What only the emulator would let pass in host code, and what is right and looks alike.
#include <cooperative_groups.h>

#include <cstdio>
#include <string>

namespace cg = cooperative_groups;

__global__ void twice(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

__global__ void says() {
  printf("a kernel's words\n");
}

__global__ void meets(int* p) {
  cg::this_grid().sync();
  p[threadIdx.x] = 1;
}

constexpr int kN = 3000;

int sum(const int* p) {
  int s = 0;
  for (int i = 0; i < kN; ++i) s += p[i];
  return s;
}

int main(int, char** argv) {
  const std::string what = argv[1];
  int *device, *managed, *other, *pinned;
  cudaMalloc(&device, kN * sizeof(int));
  cudaMallocManaged(&managed, kN * sizeof(int));
  cudaMallocManaged(&other, kN * sizeof(int));
  cudaMallocHost(&pinned, kN * sizeof(int));
  for (int i = 0; i < kN; ++i) managed[i] = other[i] = pinned[i] = 1;
  if (what == "device") device[5] = 7;
  if (what == "printed") {
    says<<<1, 1>>>();
    return 0;
  }
  if (what == "grid") {
    meets<<<2, 32>>>(device);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  twice<<<(kN + 255) / 256, 256>>>(managed, kN);
  int all = sum(other) + sum(pinned);  // nobody is at work on these
  if (what != "managed") cudaDeviceSynchronize();
  all += sum(managed);
  cudaMemcpy(device, pinned, kN * sizeof(int), cudaMemcpyHostToDevice);
  twice<<<(kN + 255) / 256, 256>>>(device, kN);
  cudaMemcpy(pinned, device, kN * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", all + sum(pinned));
  says<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaFree(device);
  cudaFree(managed);
  cudaFree(other);
  cudaFreeHost(pinned);
  return 0;
}
