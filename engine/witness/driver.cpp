#include "engine/witness/driver.h"

#include <dlfcn.h>

#include <type_traits>

namespace warplens::witness {
namespace {

Driver g_driver;

}  // namespace

bool find_driver() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  const auto find = [&](auto& to, const char* name) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(library, name));
    return to != nullptr;
  };
  find(g_driver.function_parameter, "cuFuncGetParamInfo");
  find(g_driver.kernel_parameter, "cuKernelGetParamInfo");
  find(g_driver.library_of, "cuKernelGetLibrary");
  find(g_driver.library_variable, "cuLibraryGetGlobal");
  find(g_driver.managed_variable, "cuLibraryGetManaged");
  find(g_driver.module_of, "cuFuncGetModule");
  find(g_driver.module_variable, "cuModuleGetGlobal_v2");
  return find(g_driver.synchronize, "cuCtxSynchronize") && find(g_driver.copy_to_host, "cuMemcpyDtoH_v2") &&
         find(g_driver.is_capturing, "cuStreamIsCapturing") && find(g_driver.error_name, "cuGetErrorName");
}

const Driver& driver() {
  return g_driver;
}

const char* name_of(CUresult result) {
  const char* name = nullptr;
  return g_driver.error_name != nullptr && g_driver.error_name(result, &name) == CUDA_SUCCESS &&
                 name != nullptr
             ? name
             : "an unknown error";
}

}  // namespace warplens::witness
