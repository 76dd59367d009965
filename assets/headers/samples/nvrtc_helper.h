// What programs that compile their kernels themselves use of the header of this name that comes with the toolkit's
// samples: a file to a cubin by NVRTC, and a cubin to a module.
#pragma once

#include <cuda.h>
#include <nvrtc.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "helper_cuda_drvapi.h"

#define NVRTC_SAFE_CALL(name, call)                                                        \
  do {                                                                                     \
    const nvrtcResult nvrtc_result = (call);                                               \
    if (nvrtc_result != NVRTC_SUCCESS) {                                                   \
      std::cerr << (name) << " failed: " << nvrtcGetErrorString(nvrtc_result) << std::endl; \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

// Those of the toolkit, where cooperative_groups.h is wanted.
inline std::string nvrtc_include_path() {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(name)) return std::string(home) + "/include";
  return "/usr/local/cuda/include";
}

// `cubin` is for free().
inline void compileFileToCUBIN(char* file, int argc, char** argv, char** cubin, std::size_t* bytes,
                               int with_cooperative_groups) {
  std::ifstream in(file != nullptr ? file : "", std::ios::binary);
  if (!in) {
    std::cerr << "cannot read the kernel's file " << (file != nullptr ? file : "") << std::endl;
    std::exit(1);
  }
  std::ostringstream source;
  source << in.rdbuf();
  const CUdevice device = findCudaDeviceDRV(argc, const_cast<const char**>(argv));
  int major = 0, minor = 0;
  getCudaAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  getCudaAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  std::vector<std::string> options{"--gpu-architecture=sm_" + std::to_string(10 * major + minor)};
  if (with_cooperative_groups) {
    options.push_back("--include-path=" + nvrtc_include_path());
    options.push_back("--include-path=" + nvrtc_include_path() + "/cccl");
  }
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  nvrtcProgram program;
  NVRTC_SAFE_CALL("nvrtcCreateProgram",
                  nvrtcCreateProgram(&program, source.str().c_str(), file, 0, nullptr, nullptr));
  const nvrtcResult compiled = nvrtcCompileProgram(program, static_cast<int>(words.size()), words.data());
  std::size_t length = 0;
  NVRTC_SAFE_CALL("nvrtcGetProgramLogSize", nvrtcGetProgramLogSize(program, &length));
  if (length > 1) {
    std::vector<char> log(length);
    NVRTC_SAFE_CALL("nvrtcGetProgramLog", nvrtcGetProgramLog(program, log.data()));
    std::cerr << log.data() << std::endl;
  }
  NVRTC_SAFE_CALL("nvrtcCompileProgram", compiled);
  NVRTC_SAFE_CALL("nvrtcGetCUBINSize", nvrtcGetCUBINSize(program, bytes));
  *cubin = static_cast<char*>(std::malloc(*bytes));
  NVRTC_SAFE_CALL("nvrtcGetCUBIN", nvrtcGetCUBIN(program, *cubin));
  NVRTC_SAFE_CALL("nvrtcDestroyProgram", nvrtcDestroyProgram(&program));
}

inline CUmodule loadCUBIN(char* cubin, int argc, char** argv) {
  const CUdevice device = findCudaDeviceDRV(argc, const_cast<const char**>(argv));
  CUcontext context;
  CUmodule module;
  checkCudaErrors(cuInit(0));
  CUctxCreateParams parameters = {};
  checkCudaErrors(cuCtxCreate(&context, &parameters, 0, device));
  checkCudaErrors(cuModuleLoadData(&module, cubin));
  std::free(cubin);
  return module;
}
