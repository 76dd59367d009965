// What programs of the driver API use of the header of this name that comes with the toolkit's samples.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "helper_string.h"
#include "sm_lanes.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#ifndef checkCudaErrors
inline void __checkCudaErrors(CUresult result, const char* file, int line) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "CUDA driver error at %s:%d: %d (%s)\n", file, line, static_cast<int>(result),
               text != nullptr ? text : "unknown");
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) __checkCudaErrors((call), __FILE__, __LINE__)
#endif

template <class T>
inline void getCudaAttribute(T* value, CUdevice_attribute attribute, int device) {
  int found = 0;
  checkCudaErrors(cuDeviceGetAttribute(&found, attribute, device));
  *value = static_cast<T>(found);
}

inline int _ConvertSMVer2CoresDRV(int major, int minor) { return _ConvertSMVer2Cores(major, minor); }

inline int gpuGetMaxGflopsDeviceIdDRV() {
  int count = 0, best = 0, most = -1;
  checkCudaErrors(cuInit(0));
  checkCudaErrors(cuDeviceGetCount(&count));
  for (int device = 0; device < count; ++device) {
    int multiprocessors = 0;
    getCudaAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    if (multiprocessors > most) most = multiprocessors, best = device;
  }
  return best;
}
inline int gpuDeviceInitDRV(int argc, const char** argv) {
  int count = 0;
  checkCudaErrors(cuInit(0));
  checkCudaErrors(cuDeviceGetCount(&count));
  int device = getCmdLineArgumentInt(argc, argv, "device");
  if (device < 0) device = 0;
  if (device < count) return device;
  std::fprintf(stderr, "there is no device %d: there are %d\n", device, count);
  return -device;
}
inline CUdevice findCudaDeviceDRV(int argc, const char** argv) {
  const bool asked = checkCmdLineFlag(argc, argv, "device");
  const int number = asked ? gpuDeviceInitDRV(argc, argv) : gpuGetMaxGflopsDeviceIdDRV();
  if (number < 0) std::exit(EXIT_WAIVED);
  CUdevice device;
  char name[256];
  checkCudaErrors(cuDeviceGet(&device, number));
  checkCudaErrors(cuDeviceGetName(name, sizeof name, device));
  std::printf("> Using CUDA Device [%d]: %s\n", number, name);
  return device;
}
inline bool checkCudaCapabilitiesDRV(int major, int minor, int device) {
  int has_major = 0, has_minor = 0;
  getCudaAttribute(&has_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  getCudaAttribute(&has_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return has_major > major || (has_major == major && has_minor >= minor);
}

// The file beside the program, or in ./ and ./data/, and what it holds.
inline bool findFatbinPath(const char* name, std::string& path, char** argv, std::ostringstream& content) {
  const char* found = sdkFindFilePath(name, argv[0]);
  if (found == nullptr) {
    std::fprintf(stderr, "%s is not to be found\n", name);
    return false;
  }
  path = found;
  std::ifstream in(path, std::ios::binary);
  content << in.rdbuf();
  return in.good();
}
