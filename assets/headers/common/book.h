// What programs use of the header of this name that comes with the book CUDA by Example, for programs that came
// without it.
#pragma once

#include <cuda_runtime.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>

static void HandleError(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::printf("%s in %s at line %d\n", cudaGetErrorString(error), file, line);
  std::exit(EXIT_FAILURE);
}
#define HANDLE_ERROR(call) (HandleError(call, __FILE__, __LINE__))
#define HANDLE_NULL(pointer)                                                   \
  {                                                                            \
    if ((pointer) == nullptr) {                                                \
      std::printf("Host memory failed in %s at line %d\n", __FILE__, __LINE__); \
      std::exit(EXIT_FAILURE);                                                 \
    }                                                                          \
  }

template <typename T>
static void swap(T& a, T& b) {
  const T old = a;
  a = b;
  b = old;
}
static inline void* big_random_block(int size) {
  auto* data = static_cast<unsigned char*>(std::malloc(size));
  HANDLE_NULL(data);
  for (int i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(std::rand());
  return data;
}
static inline int* big_random_block_int(int size) {
  auto* data = static_cast<int*>(std::malloc(size * sizeof(int)));
  HANDLE_NULL(data);
  for (int i = 0; i < size; ++i) data[i] = std::rand();
  return data;
}

// Threads of the host, one for each device.
typedef pthread_t CUTThread;
typedef void* (*CUT_THREADROUTINE)(void*);
#define CUT_THREADPROC static void*
#define CUT_THREADEND return 0
static inline CUTThread start_thread(CUT_THREADROUTINE routine, void* data) {
  CUTThread thread = {};
  if (pthread_create(&thread, nullptr, routine, data) != 0) std::exit(EXIT_FAILURE);
  return thread;
}
static inline void end_thread(CUTThread thread) { pthread_join(thread, nullptr); }
static inline void destroy_thread(CUTThread thread) { pthread_cancel(thread); }
static inline void wait_for_threads(const CUTThread* threads, int count) {
  for (int i = 0; i < count; ++i) end_thread(threads[i]);
}
