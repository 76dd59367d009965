// What programs ask of the runtime, and what they tell it only to ask again.
#include <cooperative_groups.h>
#include <cstring>

#include "check.h"

__global__ void clustered(int* out) { *out = static_cast<int>(cooperative_groups::this_cluster().num_blocks()); }

void managed_memory() {
  char* memory;
  constexpr std::size_t kBytes = 4096;
  CHECK(cudaMallocManaged(&memory, kBytes));
  cudaMemLocation device{};
  device.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemAdvise(memory, kBytes, cudaMemAdviseSetPreferredLocation, device));
  CHECK(cudaMemAdvise(memory, kBytes / 2, cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemPrefetchAsync(memory, kBytes, device, 0));
  const auto asked = [&](cudaMemRangeAttribute attribute, char* at, std::size_t bytes) {
    int value = -7;
    CHECK(cudaMemRangeGetAttribute(&value, sizeof value, attribute, at, bytes));
    return value;
  };
  EXPECT(asked(cudaMemRangeAttributeReadMostly, memory, kBytes / 2) == 1);
  EXPECT(asked(cudaMemRangeAttributeReadMostly, memory, kBytes) == 0);
  EXPECT(asked(cudaMemRangeAttributePreferredLocation, memory + kBytes / 2, 16) == 0);
  EXPECT(asked(cudaMemRangeAttributeLastPrefetchLocation, memory, 64) == 0);
  CHECK(cudaMemAdvise(memory, kBytes, cudaMemAdviseUnsetPreferredLocation, device));
  EXPECT(asked(cudaMemRangeAttributePreferredLocation, memory, 16) == cudaInvalidDeviceId);
}

void clusters() {
  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 128;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  int potential = 0, active = 0, fewer = 0;
  CHECK(cudaOccupancyMaxPotentialClusterSize(&potential, clustered, &config));
  CHECK(cudaOccupancyMaxActiveClusters(&active, clustered, &config));
  config.dynamicSmemBytes = 40 << 10;
  CHECK(cudaOccupancyMaxActiveClusters(&fewer, clustered, &config));
  EXPECT(potential == 8 && active > fewer && fewer > 0);
  attribute.val.clusterDim = {16, 1, 1};
  EXPECT(cudaOccupancyMaxActiveClusters(&active, clustered, &config) == cudaErrorInvalidClusterSize);
  cudaGetLastError();
  CHECK(cudaFuncSetAttribute(clustered, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(cudaOccupancyMaxActiveClusters(&active, clustered, &config));
}

void levels() {
  cudaMipmappedArray_t levels;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&levels, &format, {16, 8, 0}, 5, cudaArraySurfaceLoadStore));
  cudaArray_t third;
  cudaExtent extent;
  CHECK(cudaGetMipmappedArrayLevel(&third, levels, 2));
  CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, third));
  EXPECT(extent.width == 4 && extent.height == 2);
  float texels[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
  CHECK(cudaMemcpy2DToArray(third, 0, 0, texels, 16, 16, 2, cudaMemcpyHostToDevice));
  cudaArray_t second;
  CHECK(cudaGetMipmappedArrayLevel(&second, levels, 1));
  CHECK(cudaMemcpy2DArrayToArray(second, 0, 1, third, 0, 0, 16, 2, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2DFromArray(back, 16, second, 0, 1, 16, 2, cudaMemcpyDeviceToHost));
  EXPECT(std::memcmp(texels, back, sizeof back) == 0);
  CHECK(cudaFreeMipmappedArray(levels));
}

// Functions of the driver by their names, as programs do that are not linked with libcuda.
void entry_points() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  CHECK(cudaGetDriverEntryPointByVersion("cuMemGetInfo", &found, 12000, cudaEnableDefault, &answer));
  EXPECT(answer == cudaDriverEntryPointSuccess && found != nullptr);
  std::size_t free = 0, total = 0, as_told = 0, all = 0;
  EXPECT(reinterpret_cast<int (*)(std::size_t*, std::size_t*)>(found)(&free, &total) == 0);
  CHECK(cudaMemGetInfo(&as_told, &all));
  EXPECT(free == as_told && total == all);
  CHECK(cudaGetDriverEntryPointByVersion("cuGetProcAddress", &found, 12000, cudaEnableDefault, &answer));
  using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, int*);
  void* allocate = nullptr;
  int status = 7;
  EXPECT(reinterpret_cast<GetProcAddress>(found)("cuMemAlloc", &allocate, 12000, 0, &status) == 0);
  EXPECT(status == 0 && allocate != nullptr);
  unsigned long long address = 0;
  EXPECT(reinterpret_cast<int (*)(unsigned long long*, std::size_t)>(allocate)(&address, 100) == 0);
  CHECK(cudaMemset(reinterpret_cast<void*>(address), 0, 100));
  CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &found, 12000, cudaEnableDefault, &answer));
  EXPECT(answer == cudaDriverEntryPointSymbolNotFound && found == nullptr);
}

// What programs print of a call that failed, whichever error it is.
void errors_and_limits() {
  const auto called = [](cudaError_t error, const char* name, const char* text) {
    EXPECT(std::strcmp(cudaGetErrorName(error), name) == 0 && std::strcmp(cudaGetErrorString(error), text) == 0);
  };
  called(cudaErrorUnsupportedLimit, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture");
  called(cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
         "dependency created on uncaptured work in another stream");
  called(cudaErrorUnknown, "cudaErrorUnknown", "unknown error");
  called(static_cast<cudaError_t>(777), "unrecognized error code", "unrecognized error code");
  std::size_t launches = 0;
  CHECK(cudaDeviceGetLimit(&launches, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT(launches == 2048);
  CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
  EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2) == cudaErrorUnsupportedLimit);
  cudaGetLastError();
}

int main() {
  entry_points();
  errors_and_limits();
  managed_memory();
  clusters();
  levels();
  cudaStream_t stream, other;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  cudaStreamAttrValue told{}, asked{};
  told.syncPolicy = cudaSyncPolicyBlockingSync;
  CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &told));
  CHECK(cudaStreamCopyAttributes(other, stream));
  CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &asked));
  EXPECT(asked.syncPolicy == cudaSyncPolicyBlockingSync);
  int value;
  EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 0, 0) == cudaErrorInvalidDevice);
  std::printf("answered\n");
}
