// Calls of the driver API that are the runtime's under other names.
#include <cstring>

#include "engine/runtime/driver.h"

using namespace warplens;
using namespace warplens::runtime;

#pragma GCC visibility push(default)
extern "C" {

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (arguments == nullptr && extra != nullptr)
    return of(context().not_supported("cuLaunchKernelEx with packed arguments (extra)"));
  cudaLaunchConfig_t as{};
  as.gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ};
  as.blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ};
  as.dynamicSmemBytes = config->sharedMemBytes;
  as.stream = config->hStream;
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  as.attrs = reinterpret_cast<cudaLaunchAttribute*>(config->attrs);
  as.numAttrs = config->numAttrs;
  return of(cudaLaunchKernelExC(&as, function, arguments));
}

CUresult cuMemAllocAsync(CUdeviceptr* out, std::size_t bytes, CUstream stream) {
  void* made = nullptr;
  const cudaError_t error = cudaMallocAsync(&made, bytes, stream);
  *out = reinterpret_cast<CUdeviceptr>(made);
  return of(error);
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return of(cudaFreeAsync(pointer(address), stream));
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
  return of(cudaMemcpyPeer(pointer(to), 0, pointer(from), 0, bytes));
}
CUresult cuMemHostGetFlags(unsigned* flags, void* at) {
  return of(cudaHostGetFlags(flags, at));
}
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return driver([&](Context& all) {
    const Allocation* const found = all.arena.find(pointer(address));
    if (found == nullptr) return cudaErrorInvalidValue;
    const bool host = found->kind == Kind::Pinned || found->kind == Kind::Registered;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(data) = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *static_cast<CUdeviceptr*>(data) = address;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(data) = found->kind == Kind::Managed ? 1 : 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(data) = 0;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(data) = found->address;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<std::size_t*>(data) = found->bytes;
        return cudaSuccess;
      default:
        return all.not_supported("cuPointerGetAttribute of attribute " + std::to_string(attribute));
    }
  });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return of(cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return of(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return of(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return of(cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return of(cudaStreamEndCapture(stream, graph));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  cudaStreamCaptureStatus now{};
  const cudaError_t error = cudaStreamIsCapturing(stream, &now);
  *status = static_cast<CUstreamCaptureStatus>(now);
  return of(error);
}
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return of(cudaGraphInstantiate(exec, graph, flags));
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return of(cudaGraphLaunch(exec, stream));
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return of(cudaGraphExecDestroy(exec));
}
CUresult cuGraphDestroy(CUgraph graph) {
  return of(cudaGraphDestroy(graph));
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return of(cudaDeviceGetPCIBusId(id, length, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return of(cudaDeviceGetByPCIBusId(device, id));
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return of(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return *version = CUDA_VERSION, CUDA_SUCCESS;
}
CUresult cuProfilerStart() {
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return of(cudaFuncGetName(name, function));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function, int blocks,
                                                 int block) {
  return of(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block));
}
// The block with most resident threads, the larger of two that have as many.
CUresult cuOccupancyMaxPotentialBlockSize(int* least_grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize bytes_of_block, std::size_t bytes, int limit) {
  return driver([&](Context& all) {
    Function* const known = all.modules.function(static_cast<const void*>(function));
    if (known == nullptr) return cudaErrorInvalidResourceHandle;
    cudaFuncAttributes attributes;
    if (const cudaError_t error = cudaFuncGetAttributes(&attributes, function); error != cudaSuccess)
      return error;
    const int largest =
        limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
    int most = 0;
    for (int size = largest; size > 0; size = size % 32 != 0 ? size / 32 * 32 : size - 32) {
      const std::size_t shared = bytes_of_block == nullptr ? bytes : bytes_of_block(size);
      const int on_sm = occupancy_of(all, *known, size, shared).blocks_per_sm;
      if (on_sm * size <= most) continue;
      most = on_sm * size;
      *block = size;
      *least_grid = on_sm * all.device().sms;
    }
    return most == 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
