// NVRTC compiles for the GPU; the driver API runs the cubin.
#include <cuda.h>
#include <nvrtc.h>

#include <vector>

#include "check.h"

int main() {
  const char* text = "extern \"C\" __global__ void square(int* d) { d[threadIdx.x] *= d[threadIdx.x]; }";
  nvrtcProgram program;
  EXPECT(nvrtcCreateProgram(&program, text, "square.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  const char* options[] = {"--gpu-architecture=sm_90"};
  EXPECT(nvrtcCompileProgram(program, 1, options) == NVRTC_SUCCESS);
  std::size_t bytes = 0;
  EXPECT(nvrtcGetCUBINSize(program, &bytes) == NVRTC_SUCCESS && bytes > 0);
  std::vector<char> cubin(bytes);
  EXPECT(nvrtcGetCUBIN(program, cubin.data()) == NVRTC_SUCCESS);
  CHECK(cudaFree(nullptr));
  CUmodule module;
  CUfunction square;
  EXPECT(cuModuleLoadData(&module, cubin.data()) == CUDA_SUCCESS);
  EXPECT(cuModuleGetFunction(&square, module, "square") == CUDA_SUCCESS);
  int registers = 0;
  EXPECT(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, square) == CUDA_SUCCESS && registers > 0);
  int host[32], *device;
  for (int i = 0; i < 32; ++i) host[i] = i;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&device};
  EXPECT(cuLaunchKernel(square, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host[9] == 81);
  std::printf("squared\n");
}
