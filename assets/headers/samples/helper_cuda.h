// What programs use of the header of this name that comes with the toolkit's samples, for programs that came
// without it.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "helper_string.h"
#include "sm_lanes.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

static inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
#ifdef CUDA_VERSION
static inline const char* _cudaGetErrorEnum(CUresult error) {
  const char* name = nullptr;
  return cuGetErrorName(error, &name) == CUDA_SUCCESS && name != nullptr ? name : "unknown";
}
#endif
// Results of the libraries: their numbers stand in their manuals.
template <typename T>
static const char* _cudaGetErrorEnum(T) {
  return "an error of a library";
}

template <typename T>
static void check(T result, const char* call, const char* file, int line) {
  if (!static_cast<unsigned int>(result)) return;
  std::fprintf(stderr, "CUDA error at %s:%d code=%u(%s) \"%s\"\n", file, line, static_cast<unsigned int>(result),
               _cudaGetErrorEnum(result), call);
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

static inline void __getLastCudaError(const char* what, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s(%d): %s: (%d) %s\n", file, line, what, static_cast<int>(error),
               cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}
#define getLastCudaError(what) __getLastCudaError(what, __FILE__, __LINE__)
static inline void __printLastCudaError(const char* what, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    std::fprintf(stderr, "%s(%d): %s: (%d) %s\n", file, line, what, static_cast<int>(error),
                 cudaGetErrorString(error));
}
#define printLastCudaError(what) __printLastCudaError(what, __FILE__, __LINE__)

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

static inline int ftoi(float value) {
  return value >= 0 ? static_cast<int>(value + 0.5f) : static_cast<int>(value - 0.5f);
}

static inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  switch (major) {
    case 3:
      return "Kepler";
    case 5:
      return "Maxwell";
    case 6:
      return "Pascal";
    case 7:
      return minor == 5 ? "Turing" : "Volta";
    case 8:
      return minor == 9 ? "Ada" : "Ampere";
    case 9:
      return "Hopper";
    default:
      return "Blackwell";
  }
}

static inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    std::fprintf(stderr, "gpuDeviceInit(): there is no CUDA device\n");
    std::exit(EXIT_FAILURE);
  }
  if (device < 0) device = 0;
  if (device > count - 1) return -device;
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
static inline int gpuGetMaxGflopsDeviceId() {
  int count = 0, best = 0, most = -1;
  checkCudaErrors(cudaGetDeviceCount(&count));
  for (int device = 0; device < count; ++device) {
    int multiprocessors = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    if (multiprocessors <= most) continue;
    most = multiprocessors;
    best = device;
  }
  return best;
}
static inline int findCudaDevice(int argc, const char** argv) {
  int device = 0;
  if (checkCmdLineFlag(argc, argv, "device")) {
    device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device="));
    if (device < 0) {
      std::printf("exiting...\n");
      std::exit(EXIT_FAILURE);
    }
  } else {
    device = gpuGetMaxGflopsDeviceId();
    checkCudaErrors(cudaSetDevice(device));
  }
  int major = 0, minor = 0;
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  std::printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device,
              _ConvertSMVer2ArchName(major, minor), major, minor);
  return device;
}
static inline int findIntegratedGPU() { return -1; }
static inline bool checkCudaCapabilities(int wanted_major, int wanted_minor) {
  int device = 0, major = 0, minor = 0;
  checkCudaErrors(cudaGetDevice(&device));
  checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  if (major > wanted_major || (major == wanted_major && minor >= wanted_minor)) return true;
  std::printf("  No GPU device was found that can support CUDA compute capability %d.%d.\n", wanted_major,
              wanted_minor);
  return false;
}
