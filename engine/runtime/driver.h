// What the files of the driver API have in common.
#pragma once

#include "engine/runtime/api.h"

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <cstdint>
#include <vector>

#include "engine/runtime/load_module.h"
#include "engine/runtime/stream.h"

namespace warplens::runtime {

// The numbers of both are the same, but for what only a runtime knows.
inline CUresult of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    default:
      return static_cast<CUresult>(error);
  }
}

template <typename Body>
CUresult driver(Body&& body) {
  return of(call(std::forward<Body>(body)));
}

inline void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

}  // namespace warplens::runtime
