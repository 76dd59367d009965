// Host calls of cuBLAS, cuRAND and cuFFT: computed on the CPU, on the memory that kernels see. None of their
// kernels is emulated, and the program's report says which calls that were.
//
//   return on_host<cublasStatus_t>("cublasSgemm", CUBLAS_STATUS_INTERNAL_ERROR, [&] { ... return ...; });
#pragma once

#include "engine/runtime/context.h"

namespace warplens::runtime {

// One at a time, as all calls of the runtime; `failed`: the library's word for what must not happen.
template <typename Status, typename Body>
Status on_host(const char* function, Status failed, Body&& body) {
  Status status = failed;
  const cudaError_t error = call([&](Context& all) {
    all.not_emulated(function);
    status = body();
    all.arena.wrote_anywhere();
    all.host_waited_for_all();
    return cudaSuccess;
  });
  return error == cudaSuccess ? status : failed;
}

}  // namespace warplens::runtime
