// The driver API as programs use it: a context for each device, modules from PTX or fat binaries. Memory,
// streams and events are the runtime's.
#include <cstring>
#include <vector>

#include "engine/runtime/devices.h"
#include "engine/runtime/driver.h"
#include "engine/runtime/error_texts.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

// The context of this thread is the uppermost.
thread_local std::vector<CUcontext> contexts;
// Each device's own.
int primaries[kMostDevices];
CUcontext primary(int device) {
  return reinterpret_cast<CUcontext>(&primaries[device]);
}
int device_of(CUcontext context) {
  return static_cast<int>(reinterpret_cast<int*>(context) - primaries);
}
// What this thread does next belongs to the device of its uppermost context.
void follow_context() {
  if (!contexts.empty()) current_device() = device_of(contexts.back());
}

Module* module_of(CUmodule handle) {
  return context().modules.module_of(reinterpret_cast<void**>(handle));
}

Function* function_of(CUfunction handle) {
  return context().modules.function(static_cast<const void*>(handle));
}

// Arguments one by one, or as the bytes that the kernel finds.
cudaError_t parameters_of(Context& all, Function& function, void** arguments, void** extra,
                          std::vector<std::uint8_t>& out) {
  if (arguments != nullptr || extra == nullptr) return pack_arguments(all, function, arguments, out);
  const std::uint8_t* begin = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) begin = static_cast<const std::uint8_t*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  const auto loaded = function.load();
  if (!loaded) return runtime::error_of(loaded.error());
  const std::size_t wanted = (*loaded)->parameter_bytes;
  if (begin == nullptr || bytes < wanted) return cudaErrorInvalidValue;
  out.assign(begin, begin + wanted);
  return cudaSuccess;
}

CUresult launch(CUfunction handle, Dim3 grid, Dim3 block, unsigned shared, CUstream stream, void** arguments,
                void** extra, bool cooperative) {
  return driver([&](Context& all) {
    KernelLaunch asked{function_of(handle), grid, block, {0, 0, 0}, shared, cooperative, {}};
    if (asked.function == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = parameters_of(all, *asked.function, arguments, extra, asked.parameters);
        error != cudaSuccess)
      return error;
    return start_launch(all, asked, stream);
  });
}

template <typename T>
CUresult fill(CUdeviceptr to, std::size_t pitch, T value, std::size_t width, std::size_t height,
              CUstream stream) {
  return driver([&](Context& all) {
    const Allocation* const found = all.arena.find(pointer(to));
    if (width == 0 || height == 0) return cudaSuccess;
    if (found == nullptr || (height - 1) * pitch + width * sizeof(T) > found->end() - to)
      return cudaErrorInvalidValue;
    return enqueue(all, stream, cudaGraphNodeTypeMemset, [=](Context& now) {
      for (std::size_t y = 0; y < height; ++y) {
        std::fill_n(reinterpret_cast<T*>(to + y * pitch), width, value);
        now.arena.wrote(pointer(to + y * pitch), width * sizeof(T));
      }
      return cudaSuccess;
    });
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuInit(unsigned flags) {
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDriverGetVersion(int* version) {
  return of(cudaDriverGetVersion(version));
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = driver_error_name(error);
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorText* const known = driver_error_name(error) == nullptr ? nullptr : error_text(error);
  *text = known == nullptr ? nullptr : known->text;
  return known == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return of(cudaGetDeviceCount(count));
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return is_device(context(), ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess || length < 1) return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, properties.name, static_cast<std::size_t>(length));
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) std::memcpy(uuid, &properties.uuid, sizeof *uuid);
  return of(error);
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
  return of(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  std::size_t free = 0;
  return of(cudaMemGetInfo(&free, bytes));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice one, CUdevice other) {
  return of(cudaDeviceCanAccessPeer(can, one, other));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  if (!is_device(context(), device)) return CUDA_ERROR_INVALID_DEVICE;
  *out = primary(device);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice) {
  return of(cudaDeviceReset());
}
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate(CUcontext* out, CUctxCreateParams*, unsigned, CUdevice device) {
  if (!is_device(context(), device)) return CUDA_ERROR_INVALID_DEVICE;
  contexts.push_back(primary(device));
  follow_context();
  *out = contexts.back();
  return CUDA_SUCCESS;
}
#undef cuCtxCreate
CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(out, nullptr, flags, device);
}
CUresult cuCtxDestroy(CUcontext) {
  if (!contexts.empty()) contexts.pop_back();
  follow_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext now) {
  if (!contexts.empty()) contexts.pop_back();
  if (now != nullptr) contexts.push_back(now);
  follow_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* out) {
  *out = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext now) {
  contexts.push_back(now);
  follow_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* out) {
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (out != nullptr) *out = contexts.back();
  contexts.pop_back();
  follow_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = current_device();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetFlags(unsigned* flags) {
  *flags = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return of(cudaDeviceSynchronize());
}
CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return of(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  return of(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (context().settings.devices == 1) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  return of(cudaDeviceEnablePeerAccess(device_of(peer), flags));
}

// Of what a program asks the compiler for only the logs are answered; the rest changes no result.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* data, unsigned count, CUjit_option* options,
                            void** values) {
  return driver([&](Context& all) {
    Module* made = nullptr;
    std::string problem;
    const cudaError_t error = load_module(all, made, data, &problem);
    write_logs(JitOptions::of(count, options, values), problem);
    if (module == nullptr) return cudaErrorInvalidValue;
    *module = reinterpret_cast<CUmodule>(made);
    return error;
  });
}
CUresult cuModuleLoadData(CUmodule* module, const void* data) {
  return cuModuleLoadDataEx(module, data, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* data) {
  return cuModuleLoadData(module, data);
}
CUresult cuModuleLoad(CUmodule* module, const char* file) {
  const void* const bytes = read_module(file);
  return bytes == nullptr ? CUDA_ERROR_FILE_NOT_FOUND : cuModuleLoadData(module, bytes);
}
CUresult cuModuleUnload(CUmodule) {
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
  return driver([&](Context& all) {
    Module* const module = module_of(handle);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    Function* const found = all.modules.function(module, name);
    *out = reinterpret_cast<CUfunction>(found);
    return found == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, const char* name) {
  return driver([&](Context&) {
    Module* const module = module_of(handle);
    if (module == nullptr || !module->load()) return cudaErrorInvalidResourceHandle;
    const std::uint64_t at = module->address_of(name);
    if (at == 0) return cudaErrorSymbolNotFound;
    if (address != nullptr) *address = at;
    for (const ptx::Variable& variable : module->parsed()->variables)
      if (bytes != nullptr && variable.name == name) *bytes = variable.bytes();
    return cudaSuccess;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  cudaFuncAttributes all;
  const cudaError_t error = cudaFuncGetAttributes(&all, function);
  if (error != cudaSuccess) return of(error);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return *value = all.maxThreadsPerBlock, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return *value = static_cast<int>(all.sharedSizeBytes), CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return *value = static_cast<int>(all.constSizeBytes), CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return *value = static_cast<int>(all.localSizeBytes), CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return *value = all.numRegs, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return *value = all.ptxVersion, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return *value = all.binaryVersion, CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return *value = all.maxDynamicSharedSizeBytes, CUDA_SUCCESS;
    default:
      return of(context().not_supported("cuFuncGetAttribute with attribute " + std::to_string(attribute)));
  }
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return of(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return of(cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block,
                                                     std::size_t shared) {
  return of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared));
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** arguments, void** extra) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, arguments,
                extra, false);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments) {
  return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, arguments,
                nullptr, true);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return of(cudaLaunchHostFunc(stream, function, data));
}

CUresult cuMemAlloc(CUdeviceptr* out, std::size_t bytes) {
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  void* made = nullptr;
  const cudaError_t error = cudaMalloc(&made, bytes);
  *out = reinterpret_cast<CUdeviceptr>(made);
  return of(error);
}
CUresult cuMemAllocPitch(CUdeviceptr* out, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned) {
  void* made = nullptr;
  const cudaError_t error = cudaMallocPitch(&made, pitch, width, height);
  *out = reinterpret_cast<CUdeviceptr>(made);
  return of(error);
}
CUresult cuMemAllocManaged(CUdeviceptr* out, std::size_t bytes, unsigned flags) {
  void* made = nullptr;
  const cudaError_t error = cudaMallocManaged(&made, bytes, flags);
  *out = reinterpret_cast<CUdeviceptr>(made);
  return of(error);
}
CUresult cuMemFree(CUdeviceptr address) {
  return of(cudaFree(pointer(address)));
}
CUresult cuMemAllocHost(void** out, std::size_t bytes) {
  return of(cudaMallocHost(out, bytes));
}
CUresult cuMemHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return of(cudaHostAlloc(out, bytes, flags));
}
CUresult cuMemFreeHost(void* at) {
  return of(cudaFreeHost(at));
}
CUresult cuMemHostRegister(void* at, std::size_t bytes, unsigned flags) {
  return of(cudaHostRegister(at, bytes, flags));
}
CUresult cuMemHostUnregister(void* at) {
  return of(cudaHostUnregister(at));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* out, void* at, unsigned flags) {
  void* found = nullptr;
  const cudaError_t error = cudaHostGetDevicePointer(&found, at, flags);
  *out = reinterpret_cast<CUdeviceptr>(found);
  return of(error);
}
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return of(cudaMemGetInfo(free, total));
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  return driver([&](Context& all) {
    const Allocation* const found = all.arena.find(pointer(address));
    if (found == nullptr) return cudaErrorInvalidValue;
    if (base != nullptr) *base = found->address;
    if (bytes != nullptr) *bytes = found->bytes;
    return cudaSuccess;
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return of(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return of(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return of(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return of(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return of(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return of(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return of(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return of(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  return fill(to, 0, value, count, 1, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill(to, 0, value, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return fill(to, 0, value, count, 1, stream);
}
CUresult cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                      std::size_t height) {
  return fill(to, pitch, value, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                       std::size_t height) {
  return fill(to, pitch, value, width, height, nullptr);
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return of(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return of(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) {
  return of(cudaStreamDestroy(stream));
}
CUresult cuStreamSynchronize(CUstream stream) {
  return of(cudaStreamSynchronize(stream));
}
CUresult cuStreamQuery(CUstream stream) {
  return of(cudaStreamQuery(stream));
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return of(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return of(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) {
  return of(cudaEventDestroy(event));
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return of(cudaEventRecord(event, stream));
}
CUresult cuEventSynchronize(CUevent event) {
  return of(cudaEventSynchronize(event));
}
CUresult cuEventQuery(CUevent event) {
  return of(cudaEventQuery(event));
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return of(cudaEventElapsedTime(milliseconds, begin, end));
}

}  // extern "C"
#pragma GCC visibility pop
