// The driver API's virtual memory, linker, arrays and textures.
#include <cuda.h>

#include <cstring>
#include <vector>

#include "check.h"

#define DRIVER(call)                                              \
  do {                                                            \
    const CUresult result = (call);                               \
    if (result != CUDA_SUCCESS) {                                 \
      std::printf("%s:%d: %d\n", __FILE__, __LINE__, int(result)); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

__global__ void add(int* data, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] += i;
}
__global__ void row(CUtexObject texels, float* out) { out[threadIdx.x] = tex2D<float>(texels, threadIdx.x, 1); }

const char* const kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) value ();
.visible .entry store(.param .u64 to) {
  .reg .u64 %rd<2>; .reg .u32 %r<2>;
  ld.param.u64 %rd1, [to];
  { .param .b32 got; call.uni (got), value, (); ld.param.b32 %r1, [got]; }
  st.global.u32 [%rd1], %r1;
  ret;
})";
const char* const kPart = R"(.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) value () { st.param.b32 [r], 77; ret; })";

// A vector that grows: more memory behind the old, then all of it at another place.
void virtual_memory() {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  std::size_t step = 0;
  DRIVER(cuMemGetAllocationGranularity(&step, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  int compresses = 0;
  DRIVER(cuDeviceGetAttribute(&compresses, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 0));
  EXPECT(compresses == 1);
  CUmemAllocationProp compressed = what, got{};
  compressed.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  CUmemGenericAllocationHandle asked;
  DRIVER(cuMemCreate(&asked, step, &compressed, 0));
  DRIVER(cuMemGetAllocationPropertiesFromHandle(&got, asked));
  EXPECT(got.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_GENERIC);  // as an H100 keeps it
  DRIVER(cuMemRelease(asked));
  CUmemAccessDesc access{};
  access.location = what.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUdeviceptr first, second;
  DRIVER(cuMemAddressReserve(&first, 2 * step, 0, 0, 0));
  DRIVER(cuMemAddressReserve(&second, 2 * step, 0, 0, 0));
  CUmemGenericAllocationHandle parts[2];
  for (int i = 0; i < 2; ++i) {
    DRIVER(cuMemCreate(&parts[i], step, &what, 0));
    DRIVER(cuMemMap(first + i * step, step, 0, parts[i], 0));
    EXPECT(cuMemsetD8(first + i * step, 0, step) == CUDA_ERROR_INVALID_VALUE);  // nobody may touch it yet
    DRIVER(cuMemSetAccess(first + i * step, step, &access, 1));
  }
  const int count = static_cast<int>(2 * step / sizeof(int));
  DRIVER(cuMemsetD32(first, 5, count));  // across both
  add<<<1, 1024>>>(reinterpret_cast<int*>(first), count);
  CHECK(cudaDeviceSynchronize());
  DRIVER(cuMemUnmap(first, 2 * step));
  int value = 0;
  EXPECT(cuMemcpyDtoH(&value, first, sizeof value) == CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < 2; ++i) {
    DRIVER(cuMemMap(second + i * step, step, 0, parts[i], 0));
    DRIVER(cuMemRelease(parts[i]));
  }
  DRIVER(cuMemSetAccess(second, 2 * step, &access, 1));
  DRIVER(cuMemcpyDtoH(&value, second + (count - 1) * sizeof(int), sizeof value));
  EXPECT(value == 5 + count - 1);
  DRIVER(cuMemUnmap(second, 2 * step));
  DRIVER(cuMemAddressFree(first, 2 * step));
  DRIVER(cuMemAddressFree(second, 2 * step));
}

void linked() {
  CUlinkState state;
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  for (const char* text : {kPtx, kPart})
    DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1, "part", 0,
                         nullptr, nullptr));
  void* cubin;
  std::size_t bytes;
  DRIVER(cuLinkComplete(state, &cubin, &bytes));
  CUmodule module;
  CUfunction store;
  DRIVER(cuModuleLoadData(&module, cubin));
  DRIVER(cuLinkDestroy(state));
  DRIVER(cuModuleGetFunction(&store, module, "store"));
  CUdeviceptr to;
  DRIVER(cuMemAlloc(&to, 4));
  void* arguments[] = {&to};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  DRIVER(cuLaunchKernelEx(&config, store, arguments, nullptr));
  int value = 0;
  DRIVER(cuMemcpyDtoH(&value, to, 4));
  EXPECT(value == 77);
}

void arrays() {
  CUDA_ARRAY_DESCRIPTOR shape{32, 4, CU_AD_FORMAT_FLOAT, 1};
  CUarray array;
  DRIVER(cuArrayCreate(&array, &shape));
  std::vector<float> host(128);
  for (int i = 0; i < 128; ++i) host[i] = i;
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = copy.WidthInBytes = 32 * sizeof(float);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = 4;
  DRIVER(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{};
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texels;
  DRIVER(cuTexObjectCreate(&texels, &resource, &how, nullptr));
  float *out, back[32];
  CHECK(cudaMalloc(&out, sizeof back));
  row<<<1, 32>>>(texels, out);
  CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 32 && back[31] == 63);
  DRIVER(cuTexObjectDestroy(texels));
  DRIVER(cuArrayDestroy(array));
}

int main() {
  CHECK(cudaFree(nullptr));
  virtual_memory();
  linked();
  arrays();
  std::printf("mapped and linked\n");
}
