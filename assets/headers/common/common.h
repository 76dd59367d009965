// What programs use of the header of this name that comes with the book Professional CUDA C Programming, for
// programs that came without it.
#pragma once

#include <cuda_runtime.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                           \
  {                                                                                           \
    const cudaError_t error = call;                                                           \
    if (error != cudaSuccess) {                                                               \
      std::fprintf(stderr, "Error: %s:%d, code: %d, reason: %s\n", __FILE__, __LINE__, error, \
                   cudaGetErrorString(error));                                                \
      std::exit(1);                                                                           \
    }                                                                                         \
  }
#define CHECK_LIBRARY(call, name)                                                     \
  {                                                                                   \
    const auto error = call;                                                          \
    if (static_cast<int>(error) != 0) {                                               \
      std::fprintf(stderr, "Got %s error %d at %s:%d\n", name, static_cast<int>(error), \
                   __FILE__, __LINE__);                                               \
      std::exit(1);                                                                   \
    }                                                                                 \
  }
#define CHECK_CUBLAS(call) CHECK_LIBRARY(call, "CUBLAS")
#define CHECK_CURAND(call) CHECK_LIBRARY(call, "CURAND")
#define CHECK_CUFFT(call) CHECK_LIBRARY(call, "CUFFT")

static inline double seconds() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_usec) * 1e-6;
}
