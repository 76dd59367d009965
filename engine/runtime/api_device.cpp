// What programs are told of their device: one H200 as far as launches can tell, with the memory that this
// machine has; and errors.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/runtime/devices.h"
#include "engine/runtime/error_texts.h"
#include "engine/runtime/launcher.h"
#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

// Attributes of the driver API that the runtime has no names for.
constexpr int kStreamMemoryOperations = 92, kStreamMemoryOperations64 = 93, kStreamWaitNor = 94,
              kLaunchOverDevices = 96, kVirtualMemory = 102, kPosixHandles = 103, kCompression = 107,
              kTensorMaps = 127, kFabricHandles = 128, kMulticast = 132, kGather = 44, kMipmappedWidth = 73,
              kMipmappedHeight = 74, kMipmappedWidth1D = 77, kWin32Handles = 104, kKmtHandles = 105,
              kRemoteAccess = 110, kMemoryOperations64 = 122, kWaitNor = 123, kDmaBuffers = 124,
              kFunctionPointers = 129, kDecompression = 136, kDecompressionBytes = 137, kHostNumaMemory = 141,
              kHostMemory = 145, kHostDmaBuffers = 146;
constexpr int kLastAttribute = 147;                                 // of CUDA 13.0
constexpr int kPciDevice = 0x233510de, kPciSubsystem = 0x18be10de;  // of an H200 with SXM
constexpr int kMaxLinearTexture = 1 << 28;                          // texels
constexpr int kMegahertz = 1980, kMemoryMegahertz = 3201, kBusBits = 6144, kL2 = 50 << 20;

void fill_limits(Context& all, cudaDeviceProp& p) {
  const analysis::ComputeCapability& cc = all.capability();
  p.sharedMemPerBlock = static_cast<std::size_t>(cc.shared_per_block);
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(cc.shared_per_block_optin);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(cc.shared_per_sm);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(cc.shared_reserved);
  p.regsPerBlock = cc.registers_per_block;
  p.regsPerMultiprocessor = cc.registers_per_sm;
  p.maxThreadsPerBlock = cc.threads_per_block;
  p.maxThreadsPerMultiProcessor = cc.threads_per_sm;
  p.maxBlocksPerMultiProcessor = cc.blocks_per_sm;
  p.warpSize = 32;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.memPitch = 2147483647;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
}

void fill_textures(cudaDeviceProp& p) {
  const auto set = [](int* to, std::initializer_list<int> values) {
    std::copy(values.begin(), values.end(), to);
  };
  p.maxTexture1D = p.maxSurface1D = 131072;
  set(p.maxTexture2D, {131072, 65536});
  p.maxTexture1DMipmap = 32768;
  set(p.maxTexture2DMipmap, {32768, 32768});
  set(p.maxTexture2DLinear, {131072, 65000, 2097120});
  set(p.maxTexture2DGather, {32768, 32768});
  set(p.maxTexture3D, {16384, 16384, 16384});
  set(p.maxTexture3DAlt, {8192, 8192, 32768});
  p.maxTextureCubemap = p.maxSurfaceCubemap = 32768;
  set(p.maxTexture1DLayered, {32768, 2048});
  set(p.maxTexture2DLayered, {32768, 32768, 2048});
  set(p.maxTextureCubemapLayered, {32768, 2046});
  set(p.maxSurface2D, {131072, 65536});
  set(p.maxSurface3D, {16384, 16384, 16384});
  set(p.maxSurface1DLayered, {32768, 2048});
  set(p.maxSurface2DLayered, {32768, 32768, 2048});
  set(p.maxSurfaceCubemapLayered, {32768, 2046});
}

cudaDeviceProp properties(Context& all) {
  cudaDeviceProp p{};
  std::strncpy(p.name, "NVIDIA H200 (emulated by Warplens)", sizeof p.name - 1);
  std::memcpy(p.uuid.bytes, "warplens-device", 16);
  p.totalGlobalMem = all.arena.total();
  p.major = 9;
  p.multiProcessorCount = all.device().sms;
  fill_limits(all, p);
  fill_textures(p);
  p.memoryBusWidth = kBusBits;
  p.l2CacheSize = kL2;
  p.persistingL2CacheMaxSize = kL2 / 16 * 10;
  p.accessPolicyMaxWindowSize = 128 << 20;
  p.asyncEngineCount = 3;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory =
      p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.computePreemptionSupported = p.canUseHostPointerForRegisteredMem = p.cooperativeLaunch = p.clusterLaunch =
      1;
  p.hostRegisterSupported = p.memoryPoolsSupported = p.unifiedFunctionPointers = 1;
  return p;
}

// What cudaDeviceGetAttribute knows; the rest is an invalid value rather than a guess.
std::map<int, int> attributes(Context& all) {
  const cudaDeviceProp p = properties(all);
  const auto whole = [](std::size_t n) { return static_cast<int>(std::min<std::size_t>(n, 2147483647)); };
  return {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, whole(p.sharedMemPerBlock)},
      {cudaDevAttrTotalConstantMemory, whole(p.totalConstMem)},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxPitch, whole(p.memPitch)},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrClockRate, kMegahertz * 1000},
      {cudaDevAttrTextureAlignment, whole(p.textureAlignment)},
      {cudaDevAttrTexturePitchAlignment, whole(p.texturePitchAlignment)},
      {cudaDevAttrSurfaceAlignment, whole(p.surfaceAlignment)},
      {cudaDevAttrGpuOverlap, 1},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrKernelExecTimeout, 0},
      {cudaDevAttrIntegrated, 0},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrComputeMode, cudaComputeModeDefault},
      {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
      {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
      {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
      {cudaDevAttrMaxTexture1DLinearWidth, kMaxLinearTexture},
      {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
      {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
      {cudaDevAttrMaxTexture2DGatherWidth, p.maxTexture2DGather[0]},
      {cudaDevAttrMaxTexture2DGatherHeight, p.maxTexture2DGather[1]},
      {cudaDevAttrMaxTexture3DWidthAlt, p.maxTexture3DAlt[0]},
      {cudaDevAttrMaxTexture3DHeightAlt, p.maxTexture3DAlt[1]},
      {cudaDevAttrMaxTexture3DDepthAlt, p.maxTexture3DAlt[2]},
      {cudaDevAttrMaxTextureCubemapWidth, p.maxTextureCubemap},
      {cudaDevAttrMaxTextureCubemapLayeredWidth, p.maxTextureCubemapLayered[0]},
      {cudaDevAttrMaxTextureCubemapLayeredLayers, p.maxTextureCubemapLayered[1]},
      {cudaDevAttrMaxTexture2DLinearWidth, p.maxTexture2DLinear[0]},
      {cudaDevAttrMaxTexture2DLinearHeight, p.maxTexture2DLinear[1]},
      {cudaDevAttrMaxTexture2DLinearPitch, p.maxTexture2DLinear[2]},
      {cudaDevAttrMaxSurface1DWidth, p.maxSurface1D},
      {cudaDevAttrMaxSurface2DWidth, p.maxSurface2D[0]},
      {cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]},
      {cudaDevAttrMaxSurface3DWidth, p.maxSurface3D[0]},
      {cudaDevAttrMaxSurface3DHeight, p.maxSurface3D[1]},
      {cudaDevAttrMaxSurface3DDepth, p.maxSurface3D[2]},
      {cudaDevAttrMaxSurface1DLayeredWidth, p.maxSurface1DLayered[0]},
      {cudaDevAttrMaxSurface1DLayeredLayers, p.maxSurface1DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredWidth, p.maxSurface2DLayered[0]},
      {cudaDevAttrMaxSurface2DLayeredHeight, p.maxSurface2DLayered[1]},
      {cudaDevAttrMaxSurface2DLayeredLayers, p.maxSurface2DLayered[2]},
      {cudaDevAttrMaxSurfaceCubemapWidth, p.maxSurfaceCubemap},
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, p.maxSurfaceCubemapLayered[0]},
      {cudaDevAttrMaxSurfaceCubemapLayeredLayers, p.maxSurfaceCubemapLayered[1]},
      {cudaDevAttrCanFlushRemoteWrites, 0},
      {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
      {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
      {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
      {cudaDevAttrDeferredMappingCudaArraySupported, 0},
      {cudaDevAttrHostRegisterReadOnlySupported, 0},
      {kVirtualMemory, 1},
      {kStreamMemoryOperations, 0},
      {kStreamMemoryOperations64, 0},
      {kStreamWaitNor, 0},
      {kLaunchOverDevices, 0},
      {kPosixHandles, 0},
      {kCompression, 1},  // has no effect that a program could see
      {kTensorMaps, 0},
      {kFabricHandles, 0},
      {kMulticast, 0},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrEccEnabled, 0},
      {cudaDevAttrPciBusId, 0},
      {cudaDevAttrPciDeviceId, 0},
      {cudaDevAttrPciDomainId, 0},
      {cudaDevAttrTccDriver, 0},
      {cudaDevAttrMemoryClockRate, kMemoryMegahertz * 1000},
      {cudaDevAttrGlobalMemoryBusWidth, kBusBits},
      {cudaDevAttrL2CacheSize, kL2},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrGlobalL1CacheSupported, 1},
      {cudaDevAttrLocalL1CacheSupported, 1},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, whole(p.sharedMemPerMultiprocessor)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrIsMultiGpuBoard, 0},
      {cudaDevAttrMultiGpuBoardGroupID, 0},
      {cudaDevAttrHostNativeAtomicSupported, 0},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
      {cudaDevAttrPageableMemoryAccess, 0},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrComputePreemptionSupported, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, whole(p.sharedMemPerBlockOptin)},
      {cudaDevAttrHostRegisterSupported, 1},
      {cudaDevAttrDirectManagedMemAccessFromHost, 0},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
      {cudaDevAttrReservedSharedMemoryPerBlock, whole(p.reservedSharedMemPerBlock)},
      {cudaDevAttrSparseCudaArraySupported, 0},
      {cudaDevAttrMemoryPoolsSupported, 1},
      {cudaDevAttrGPUDirectRDMASupported, 0},
      {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
      {cudaDevAttrClusterLaunch, 1},
      {cudaDevAttrIpcEventSupport, 0},
      {cudaDevAttrNumaConfig, 0},
      {cudaDevAttrMpsEnabled, 0},
      {kGather, 1},
      {kMipmappedWidth, p.maxTexture2DMipmap[0]},
      {kMipmappedHeight, p.maxTexture2DMipmap[1]},
      {kMipmappedWidth1D, p.maxTexture1DMipmap},
      {kWin32Handles, 0},
      {kKmtHandles, 0},
      {kRemoteAccess, 0},
      {kMemoryOperations64, 0},
      {kWaitNor, 0},
      {kDmaBuffers, 0},
      {cudaDevAttrMemSyncDomainCount, 4},
      {kFunctionPointers, 1},
      {cudaDevAttrNumaId, -1},
      {cudaDevAttrHostNumaId, 0},
      {cudaDevAttrD3D12CigSupported, 0},
      {kDecompression, 0},
      {kDecompressionBytes, 0},
      {cudaDevAttrVulkanCigSupported, 0},
      {cudaDevAttrGpuPciDeviceId, kPciDevice},
      {cudaDevAttrGpuPciSubsystemId, kPciSubsystem},
      {kHostNumaMemory, 0},
      {cudaDevAttrHostNumaMemoryPoolsSupported, 1},
      {cudaDevAttrHostNumaMultinodeIpcSupported, 0},
      {cudaDevAttrHostMemoryPoolsSupported, 1},
      {kHostMemory, 0},
      {kHostDmaBuffers, 0},
      {cudaDevAttrOnlyPartialHostNativeAtomicSupported, 0},
  };
}

std::map<int, std::size_t>& limits() {
  static std::map<int, std::size_t> all{{cudaLimitStackSize, 1024},
                                        {cudaLimitPrintfFifoSize, 1 << 20},
                                        {cudaLimitMallocHeapSize, simt::DeviceHeap::kBytes},
                                        {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                        {cudaLimitMaxL2FetchGranularity, 64},
                                        {cudaLimitPersistingL2CacheSize, 0}};
  return all;
}

// A program sees a fault when it first waits, not when it launches; who takes the error takes it away until
// the next call answers with it again (CUDA 13.0 on an H200, driver 580).
cudaError_t error_now(bool take) {
  const std::lock_guard lock(context().mutex);
  const cudaError_t error = last_error();
  if (take) last_error() = cudaSuccess;
  return error;
}

}  // namespace

namespace warplens::runtime {

std::optional<int> device_attribute(Context& all, int attribute) {
  static const std::map<int, int> known = attributes(all);
  const auto found = known.find(attribute);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> device_limit(int limit) {
  const auto known = limits().find(limit);
  return known == limits().end() ? std::nullopt : std::optional(known->second);
}

}  // namespace warplens::runtime

#pragma GCC visibility push(default)
extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* const known = error_text(error);
  return known == nullptr ? "unrecognized error code" : known->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* const known = error_text(error);
  return known == nullptr ? "unrecognized error code" : known->text;
}

cudaError_t cudaGetLastError() {
  return error_now(true);
}

cudaError_t cudaPeekAtLastError() {
  return error_now(false);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call([&](Context& all) {
    all.flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Context& all) {
    *flags = all.flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    *out = properties(all);
    out->pciBusID = device;
    out->uuid.bytes[15] = static_cast<char>(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    if (attribute == cudaDevAttrPciBusId) return *value = device, cudaSuccess;
    if (attribute < 1 || attribute > kLastAttribute) return cudaErrorInvalidValue;
    const std::optional<int> known = device_attribute(all, attribute);
    if (!known)
      return all.not_supported(
          fmt::format("cudaDeviceGetAttribute of attribute {}", static_cast<int>(attribute)));
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width, const cudaChannelFormatDesc*,
                                                 int device) {
  return call([&](Context& all) {
    *width = kMaxLinearTexture;
    return is_device(all, device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([&](Context& all) {
    const Noted noted(all.log, "wait", {{"call", "cudaDeviceSynchronize"}});
    all.host_waited_for_all();
    return runtime::refused_while_any_captures();
  });
}

cudaError_t cudaDeviceReset() {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  const InCall in_call(all);
  all.reset();
  last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return call([&](Context& all) {
    const auto known = limits().find(limit);
    if (known == limits().end()) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitMallocHeapSize && value > simt::DeviceHeap::kBytes && all.launches == 0) {
      // Before the first launch nobody holds a block of it.
      simt::LastingMemory& places = all.arena.places();
      all.arena.release(places.heap.begin());
      const std::uint64_t at = all.arena.allocate(value, Kind::Variable, "heap");
      if (at == 0) return cudaErrorMemoryAllocation;
      places.heap.open(at, value);
    }
    known->second = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return call([&](Context&) {
    const std::optional<std::size_t> known = device_limit(limit);
    if (!known) return cudaErrorUnsupportedLimit;
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call([&](Context&) {
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call([&](Context&) {
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Context&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call([&](Context&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return cudaDriverGetVersion(version);
}

cudaError_t cudaProfilerStart() {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return call([&](Context&) { return cudaSuccess; });
}

}  // extern "C"
#pragma GCC visibility pop
