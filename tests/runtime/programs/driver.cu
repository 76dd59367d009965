// The driver API: a module from PTX, its variables, launches with pointers and with bytes.
#include <cuda.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.h"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

const char* const kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 bias;
.visible .entry add(.param .u64 p, .param .u32 n)
{
  .reg .pred %q<2>;
  .reg .b32 %r<8>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %q1, %r5, %r1;
  @%q1 bra DONE;
  mul.wide.u32 %d2, %r5, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r6, [%d3];
  ld.global.u32 %r7, [bias];
  add.u32 %r6, %r6, %r7;
  st.global.u32 [%d3], %r6;
DONE:
  ret;
}
)";

int main() {
  DRIVER(cuInit(0));
  int count = 0, major = 0;
  DRIVER(cuDeviceGetCount(&count));
  EXPECT(count == 1);
  CUdevice device;
  CUcontext current, made;
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  // All of CUDA 13.0 have an answer; an H100 (driver 580.159.04) knows none behind them.
  for (int i = 1, value = 0; i <= 147; ++i) DRIVER(cuDeviceGetAttribute(&value, CUdevice_attribute(i), device));
  int texels = 0;
  DRIVER(cuDeviceGetAttribute(&texels, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, device));
  EXPECT(texels == 32768);
  EXPECT(cuDeviceGetAttribute(&texels, CUdevice_attribute(148), device) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(major == 9);
  DRIVER(cuCtxCreate(&made, nullptr, 0, device));
  DRIVER(cuCtxGetCurrent(&current));
  EXPECT(current == made);

  CUmodule module;
  CUfunction function;
  EXPECT(cuModuleLoadData(&module, "no PTX") != CUDA_SUCCESS);
  // Logs that were asked for end with a zero, and say what is wrong.
  char information[64], errors[200];
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_MAX_REGISTERS};
  const auto asked = [&](const char* text) {
    std::memset(information, 'x', sizeof information);
    std::memset(errors, 'x', sizeof errors);
    void* values[] = {(void*)sizeof information, information, (void*)sizeof errors, errors, (void*)32};
    const CUresult result = cuModuleLoadDataEx(&module, text, 5, options, values);
    EXPECT(information[0] == 0 && values[0] == nullptr && values[4] == (void*)32);
    EXPECT(std::memchr(errors, 0, sizeof errors) != nullptr && (size_t)values[2] == std::strlen(errors));
    return result;
  };
  EXPECT(asked("no PTX") != CUDA_SUCCESS && errors[0] != 0);
  DRIVER(asked(kText));
  EXPECT(errors[0] == 0);
  EXPECT(cuModuleGetFunction(&function, module, "absent") == CUDA_ERROR_NOT_FOUND);
  DRIVER(cuModuleGetFunction(&function, module, "add"));
  CUdeviceptr bias, data;
  size_t bytes = 0;
  DRIVER(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
  EXPECT(bytes == 4);
  DRIVER(cuMemsetD32(bias, 7, 1));

  unsigned n = 1000;
  std::vector<unsigned> host(n, 5);
  DRIVER(cuMemAlloc(&data, n * 4));
  DRIVER(cuMemcpyHtoD(data, host.data(), n * 4));
  void* arguments[] = {&data, &n};
  CUstream stream;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  DRIVER(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  struct {
    CUdeviceptr p;
    unsigned n;
  } packed{data, 10};
  size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemcpyDtoH(host.data(), data, n * 4));
  for (unsigned i = 0; i < n; ++i) EXPECT(host[i] == (i < 10 ? 19u : 12u));

  EXPECT(cuLaunchKernel(function, 1, 1, 1, 2000, 1, 1, 0, stream, arguments, nullptr) ==
         CUDA_ERROR_INVALID_VALUE);
  const char* name = nullptr;
  DRIVER(cuGetErrorName(CUDA_ERROR_UNSUPPORTED_LIMIT, &name));
  EXPECT(std::strcmp(name, "CUDA_ERROR_UNSUPPORTED_LIMIT") == 0);
  EXPECT(cuGetErrorName(static_cast<CUresult>(22), &name) == CUDA_ERROR_INVALID_VALUE && name == nullptr);
  DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name));
  EXPECT(std::strcmp(name, "CUDA_ERROR_INVALID_VALUE") == 0);
  EXPECT(cuIpcCloseMemHandle(0) == CUDA_ERROR_NOT_SUPPORTED);
  DRIVER(cuMemFree(data));
  DRIVER(cuModuleUnload(module));
  DRIVER(cuCtxDestroy(made));
  std::puts("driver drove");
}
