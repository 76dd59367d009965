// What programs ask about the device and their kernels; what launches are refused for; printf of kernels.
#include <cstring>

#include "check.h"

__global__ void __launch_bounds__(128) limited(int* out) {
  extern __shared__ int big[];
  big[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = big[blockDim.x - 1 - threadIdx.x];
}
__global__ void tell(int block) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    printf("%p|%10p|%-6p|\n", static_cast<void*>(nullptr), reinterpret_cast<void*>(0x1234), reinterpret_cast<void*>(1));
  if (threadIdx.x == 0) printf("block %d of %d\n", static_cast<int>(blockIdx.x) + block, static_cast<int>(gridDim.x));
}

int main() {
  int count = 0, device = -1, value = 0;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaSetDevice(0));
  CHECK(cudaGetDevice(&device));
  EXPECT(count == 1 && device == 0 && cudaSetDevice(1) == cudaErrorInvalidDevice);
  cudaGetLastError();
  cudaDeviceProp about;
  CHECK(cudaGetDeviceProperties(&about, 0));
  EXPECT(about.major == 9 && about.warpSize == 32 && about.multiProcessorCount == 132 && about.totalGlobalMem > 1 << 30);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  EXPECT(value == about.multiProcessorCount);
  cudaFuncAttributes kernel;
  CHECK(cudaFuncGetAttributes(&kernel, limited));
  EXPECT(kernel.maxThreadsPerBlock == 128 && kernel.numRegs > 0);
  int least = 0, block = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &block, limited, 0, 0));
  EXPECT(block == 128);

  int* out;
  CHECK(cudaMalloc(&out, 128 * sizeof(int)));
  limited<<<1, 2048, 64>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  limited<<<1, 0, 64>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  limited<<<1, 256, 1024>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  limited<<<1, 128, 100000>>>(out);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(limited, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  limited<<<1, 128, 100000>>>(out);
  CHECK(cudaGetLastError());
  int host[128];
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 128; ++i) EXPECT(host[i] == 127 - i);
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0);
  std::printf("before\n");
  tell<<<2, 32>>>(0);
  CHECK(cudaDeviceSynchronize());
  std::printf("after\n");
  int can = 1;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
  cudaIpcMemHandle_t handle;
  EXPECT(cudaIpcGetMemHandle(&handle, out) == cudaErrorNotSupported);
}
