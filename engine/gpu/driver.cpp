#include "engine/gpu/driver.h"

#include <dlfcn.h>

#include "engine/base/message.h"

namespace warplens::gpu {
namespace {

struct Symbol {
  void** slot;
  const char* name;
};

template <typename Function>
Symbol symbol(Function& slot, const char* name) {
  return {reinterpret_cast<void**>(&slot), name};
}

Result<const Driver*> open_driver() {
#if !WARPLENS_CUDA
  return told(ErrorKind::System, {"gpu.none.not_built", {}});
#else
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return told(ErrorKind::System, {"gpu.none.no_driver", {}});
  static Driver driver{};
  const Symbol symbols[] = {
      symbol(driver.init, "cuInit"),
      symbol(driver.driver_version, "cuDriverGetVersion"),
      symbol(driver.error_string, "cuGetErrorString"),
      symbol(driver.device_count, "cuDeviceGetCount"),
      symbol(driver.device_get, "cuDeviceGet"),
      symbol(driver.device_name, "cuDeviceGetName"),
      symbol(driver.device_memory, "cuDeviceTotalMem_v2"),
      symbol(driver.device_attribute, "cuDeviceGetAttribute"),
      symbol(driver.device_bus_id, "cuDeviceGetPCIBusId"),
      symbol(driver.primary_retain, "cuDevicePrimaryCtxRetain"),
      symbol(driver.set_current, "cuCtxSetCurrent"),
      symbol(driver.synchronize, "cuCtxSynchronize"),
      symbol(driver.module_load, "cuModuleLoadDataEx"),
      symbol(driver.module_unload, "cuModuleUnload"),
      symbol(driver.module_function, "cuModuleGetFunction"),
      symbol(driver.module_global, "cuModuleGetGlobal_v2"),
      symbol(driver.function_attribute, "cuFuncGetAttribute"),
      symbol(driver.function_set_attribute, "cuFuncSetAttribute"),
      symbol(driver.mem_alloc, "cuMemAlloc_v2"),
      symbol(driver.mem_free, "cuMemFree_v2"),
      symbol(driver.mem_info, "cuMemGetInfo_v2"),
      symbol(driver.copy_to_device, "cuMemcpyHtoD_v2"),
      symbol(driver.copy_to_host, "cuMemcpyDtoH_v2"),
      symbol(driver.copy_on_device, "cuMemcpyDtoD_v2"),
      symbol(driver.copy_to_device_async, "cuMemcpyHtoDAsync_v2"),
      symbol(driver.copy_to_host_async, "cuMemcpyDtoHAsync_v2"),
      symbol(driver.fill_bytes, "cuMemsetD8_v2"),
      symbol(driver.host_alloc, "cuMemAllocHost_v2"),
      symbol(driver.host_free, "cuMemFreeHost"),
      symbol(driver.array_create, "cuArray3DCreate_v2"),
      symbol(driver.array_destroy, "cuArrayDestroy"),
      symbol(driver.array_copy, "cuMemcpy3D_v2"),
      symbol(driver.texture_create, "cuTexObjectCreate"),
      symbol(driver.texture_destroy, "cuTexObjectDestroy"),
      symbol(driver.surface_create, "cuSurfObjectCreate"),
      symbol(driver.surface_destroy, "cuSurfObjectDestroy"),
      symbol(driver.launch, "cuLaunchKernel"),
      symbol(driver.launch_cooperative, "cuLaunchCooperativeKernel"),
      symbol(driver.stream_create, "cuStreamCreate"),
      symbol(driver.stream_destroy, "cuStreamDestroy_v2"),
      symbol(driver.stream_synchronize, "cuStreamSynchronize"),
      symbol(driver.event_create, "cuEventCreate"),
      symbol(driver.event_destroy, "cuEventDestroy_v2"),
      symbol(driver.event_record, "cuEventRecord"),
      symbol(driver.event_synchronize, "cuEventSynchronize"),
      symbol(driver.event_elapsed, "cuEventElapsedTime"),
  };
  for (const Symbol& wanted : symbols) {
    *wanted.slot = dlsym(library, wanted.name);
    if (*wanted.slot == nullptr)
      return told(ErrorKind::System, {"gpu.none.old_driver", {{"function", value_of(wanted.name)}}});
  }
  if (const CudaResult code = driver.init(0); code != 0) return driver.error(code, "start_driver");
  return static_cast<const Driver*>(&driver);
#endif
}

// Results that a kernel causes by what it does, as opposed to the system.
bool is_kernel_fault(CudaResult code) {
  switch (code) {
    case 700:  // illegal address
    case 702:  // launch timeout
    case 710:  // assert
    case 713:  // invalid pointer to shared or local
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failure
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<const Driver*> Driver::load() {
  static const Result<const Driver*> driver = open_driver();
  return driver;
}

Error Driver::error(CudaResult code, const char* doing) const {
  return error(code, Message{std::string("gpu.doing.") + doing, {}});
}

Error Driver::error(CudaResult code, Message doing) const {
  const char* text = nullptr;
  if (error_string == nullptr || error_string(code, &text) != 0 || text == nullptr) text = "unknown error";
  return told(
      is_kernel_fault(code) ? ErrorKind::Fault : ErrorKind::System,
      {"gpu.driver.failed",
       {{"doing", value_of(std::move(doing))}, {"text", value_of(text)}, {"code", value_of(int{code})}}});
}

}  // namespace warplens::gpu
