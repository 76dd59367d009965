// The functions of the driver that the witness itself calls: found in the library that the program has
// loaded.
#pragma once

#include <cuda.h>

namespace warplens::witness {

struct Driver {
  decltype(&::cuCtxSynchronize) synchronize = nullptr;
  decltype(&::cuMemcpyDtoH) copy_to_host = nullptr;
  decltype(&::cuFuncGetParamInfo) function_parameter = nullptr;
  decltype(&::cuKernelGetParamInfo) kernel_parameter = nullptr;
  decltype(&::cuFuncGetModule) module_of = nullptr;
  decltype(&::cuModuleGetGlobal) module_variable = nullptr;
  decltype(&::cuKernelGetLibrary) library_of = nullptr;
  decltype(&::cuLibraryGetGlobal) library_variable = nullptr;
  decltype(&::cuLibraryGetManaged) managed_variable = nullptr;
  decltype(&::cuStreamIsCapturing) is_capturing = nullptr;
  decltype(&::cuGetErrorName) error_name = nullptr;
};

// False: one that every driver of CUDA 12 and later has is missing.
bool find_driver();
const Driver& driver();
const char* name_of(CUresult result);

}  // namespace warplens::witness
