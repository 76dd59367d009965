// The CUDA language for clang without a CUDA toolkit: keywords, built-in variables, vector types and the
// device functions that kernels call. Compiled in front of the user's file.
//
// Every function is always inlined and carries no debug lines, so that an instruction belongs to the line of
// the kernel that asked for it.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __CUDACC__ 1
#define __NVCC__ 1

#define WARPLENS_FN static __inline__ __device__ __attribute__((always_inline, nodebug))
#define WARPLENS_BOTH static __inline__ __host__ __device__ __attribute__((always_inline, nodebug))
#define WARPLENS_MEMBER __host__ __device__ __inline__ __attribute__((always_inline, nodebug))

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;

#include "warplens_vectors.cuh"
#include "warplens_std.cuh"
#include "warplens_warp.cuh"
#include "warplens_atomics.cuh"
#include "warplens_integers.cuh"
#include "warplens_math.cuh"
#include "warplens_simd.cuh"
#include "warplens_texture.cuh"

extern "C" __device__ int vprintf(const char*, const char*);
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ void __assertfail(const char* message, const char* file, unsigned line,
                                        const char* function, size_t char_size) __attribute__((noreturn));
extern "C" __device__ void* malloc(size_t);
extern "C" __device__ void free(void*);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif
WARPLENS_FN void __trap() { __builtin_trap(); }
WARPLENS_FN void* memcpy(void* to, const void* from, size_t n) { return __builtin_memcpy(to, from, n); }
WARPLENS_FN void* memset(void* to, int value, size_t n) { return __builtin_memset(to, value, n); }

// new and delete on the device's heap, and in a given place. Inline, so that only who uses them has them.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__device__ inline void* operator new(size_t n) { return malloc(n); }
__device__ inline void* operator new[](size_t n) { return malloc(n); }
__device__ inline void* operator new(size_t, void* place) noexcept { return place; }
__device__ inline void* operator new[](size_t, void* place) noexcept { return place; }
__device__ inline void operator delete(void* p) noexcept { free(p); }
__device__ inline void operator delete[](void* p) noexcept { free(p); }
__device__ inline void operator delete(void* p, size_t) noexcept { free(p); }
__device__ inline void operator delete[](void* p, size_t) noexcept { free(p); }
#pragma clang diagnostic pop
