// Kernels and variables of a library that is loaded while the program runs (cudaLibraryLoadData), answered as an H200
// (driver 580) answers.
#include "check.h"

static const char* const kText = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 table[3] = {1, 2, 3};
.visible .entry add(.param .u64 to, .param .u32 by)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [by];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry nothing() { ret; }
)";

int main() {
  cudaLibrary_t library;
  CHECK(cudaLibraryLoadData(&library, kText, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t add, none, all[2] = {};
  unsigned count = 0;
  CHECK(cudaLibraryGetKernel(&add, library, "add"));
  EXPECT(cudaLibraryGetKernel(&none, library, "none") == cudaErrorSymbolNotFound);
  CHECK(cudaLibraryGetKernelCount(&count, library));
  CHECK(cudaLibraryEnumerateKernels(all, 2, library));
  EXPECT(count == 2 && all[0] == add && all[1] != nullptr);

  int* to;
  unsigned by = 5;
  CHECK(cudaMallocManaged(&to, 32 * sizeof(int)));
  for (int i = 0; i < 32; ++i) to[i] = i;
  void* arguments[] = {&to, &by};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(add), 1, 32, arguments, 0, nullptr));
  cudaLaunchConfig_t how{};
  how.gridDim = 1;
  how.blockDim = 32;
  CHECK(cudaLaunchKernelExC(&how, reinterpret_cast<const void*>(add), arguments));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) EXPECT(to[i] == i + 10);

  void* table;
  std::size_t bytes = 0;
  int copy[3] = {};
  CHECK(cudaLibraryGetGlobal(&table, &bytes, library, "table"));
  EXPECT(bytes == 12);
  CHECK(cudaMemcpy(copy, table, bytes, cudaMemcpyDeviceToHost));
  EXPECT(copy[2] == 3);
  EXPECT(cudaLibraryGetGlobal(&table, &bytes, library, "chair") == cudaErrorSymbolNotFound);

  cudaFuncAttributes attributes;
  CHECK(cudaKernelSetAttributeForDevice(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 70000, 0));
  CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(add)));
  EXPECT(attributes.maxDynamicSharedSizeBytes == 70000);
  EXPECT(cudaLibraryLoadFromFile(&library, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0) ==
         cudaErrorFileNotFound);
  CHECK(cudaLibraryUnload(library));
  std::printf("library served\n");
}
