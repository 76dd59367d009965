// dim3, float4 and its relatives, and the built-in variables.
#pragma once

#define WARPLENS_VECTOR(T, name, align2, align4)                                                             \
  struct name##1 { T x; };                                                                                   \
  struct __align__(align2) name##2 { T x, y; };                                                              \
  struct name##3 { T x, y, z; };                                                                             \
  struct __align__(align4) name##4 { T x, y, z, w; };                                                        \
  WARPLENS_BOTH name##1 make_##name##1(T x) { return {x}; }                                                  \
  WARPLENS_BOTH name##2 make_##name##2(T x, T y) { return {x, y}; }                                          \
  WARPLENS_BOTH name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                  \
  WARPLENS_BOTH name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

WARPLENS_VECTOR(signed char, char, 2, 4)
WARPLENS_VECTOR(unsigned char, uchar, 2, 4)
WARPLENS_VECTOR(short, short, 4, 8)
WARPLENS_VECTOR(unsigned short, ushort, 4, 8)
WARPLENS_VECTOR(int, int, 8, 16)
WARPLENS_VECTOR(unsigned int, uint, 8, 16)
WARPLENS_VECTOR(long, long, 16, 16)
WARPLENS_VECTOR(unsigned long, ulong, 16, 16)
WARPLENS_VECTOR(long long, longlong, 16, 16)
WARPLENS_VECTOR(unsigned long long, ulonglong, 16, 16)
WARPLENS_VECTOR(float, float, 8, 16)
WARPLENS_VECTOR(double, double, 16, 16)
#undef WARPLENS_VECTOR

struct dim3 {
  unsigned int x, y, z;
  WARPLENS_MEMBER constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
  WARPLENS_MEMBER constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  WARPLENS_MEMBER constexpr operator uint3() const { return {x, y, z}; }
};

#define WARPLENS_SPECIAL(type, name, register)                                                               \
  struct type {                                                                                              \
    __declspec(property(get = get_x)) unsigned int x;                                                        \
    __declspec(property(get = get_y)) unsigned int y;                                                        \
    __declspec(property(get = get_z)) unsigned int z;                                                        \
    __device__ __inline__ __attribute__((always_inline, nodebug, const)) unsigned int get_x() const {        \
      return __nvvm_read_ptx_sreg_##register##_x();                                                          \
    }                                                                                                        \
    __device__ __inline__ __attribute__((always_inline, nodebug, const)) unsigned int get_y() const {        \
      return __nvvm_read_ptx_sreg_##register##_y();                                                          \
    }                                                                                                        \
    __device__ __inline__ __attribute__((always_inline, nodebug, const)) unsigned int get_z() const {        \
      return __nvvm_read_ptx_sreg_##register##_z();                                                          \
    }                                                                                                        \
    __device__ __inline__ __attribute__((always_inline, nodebug)) operator uint3() const {                   \
      return {get_x(), get_y(), get_z()};                                                                    \
    }                                                                                                        \
    __device__ __inline__ __attribute__((always_inline, nodebug)) operator dim3() const {                    \
      return {get_x(), get_y(), get_z()};                                                                    \
    }                                                                                                        \
  };                                                                                                         \
  extern const __device__ __attribute__((weak)) type name;

WARPLENS_SPECIAL(warplens_thread_index, threadIdx, tid)
WARPLENS_SPECIAL(warplens_block_index, blockIdx, ctaid)
WARPLENS_SPECIAL(warplens_block_extent, blockDim, ntid)
WARPLENS_SPECIAL(warplens_grid_extent, gridDim, nctaid)
#undef WARPLENS_SPECIAL
static constexpr int warpSize = 32;
