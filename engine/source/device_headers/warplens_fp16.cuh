// __half and __half2 for compilers without <cuda_fp16.h>: conversions, arithmetic and comparisons. Arithmetic
// goes through float and is rounded once, which gives the same bits as a native half operation.
#pragma once

#ifndef WARPLENS_FN
#define WARPLENS_FN static __inline__ __device__ __attribute__((always_inline))
#define WARPLENS_MEMBER __device__ __inline__ __attribute__((always_inline))
#endif

struct __align__(2) __half {
  unsigned short bits;
  __half() = default;
  WARPLENS_MEMBER __half(float v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v)); }
  WARPLENS_MEMBER __half(double v) : __half((float)v) {}
  WARPLENS_MEMBER __half(int v) : __half((float)v) {}
  WARPLENS_MEMBER operator float() const {
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
  }
};
typedef __half half;
struct __align__(4) __half2 {
  __half x, y;
};
typedef __half2 half2;

WARPLENS_FN __half __float2half(float v) { return __half(v); }
WARPLENS_FN __half __float2half_rn(float v) { return __half(v); }
WARPLENS_FN float __half2float(__half v) { return (float)v; }
WARPLENS_FN __half __ushort_as_half(unsigned short v) { __half h; h.bits = v; return h; }
WARPLENS_FN unsigned short __half_as_ushort(__half v) { return v.bits; }
WARPLENS_FN __half __hadd(__half a, __half b) { return __half((float)a + (float)b); }
WARPLENS_FN __half __hsub(__half a, __half b) { return __half((float)a - (float)b); }
WARPLENS_FN __half __hmul(__half a, __half b) { return __half((float)a * (float)b); }
WARPLENS_FN __half __hdiv(__half a, __half b) { return __half((float)a / (float)b); }
WARPLENS_FN __half __hfma(__half a, __half b, __half c) {
  __half d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
  return d;
}
WARPLENS_FN __half __hneg(__half a) { return __half(-(float)a); }
WARPLENS_FN bool __hgt(__half a, __half b) { return (float)a > (float)b; }
WARPLENS_FN bool __hlt(__half a, __half b) { return (float)a < (float)b; }
WARPLENS_FN bool __heq(__half a, __half b) { return (float)a == (float)b; }
WARPLENS_FN __half __hmax(__half a, __half b) { return __hlt(a, b) ? b : a; }
WARPLENS_FN __half __hmin(__half a, __half b) { return __hlt(a, b) ? a : b; }

#define WARPLENS_HALF_OPERATOR(op, function)                                   \
  WARPLENS_FN __half operator op(__half a, __half b) { return function(a, b); } \
  WARPLENS_FN __half& operator op##=(__half & a, __half b) { return a = function(a, b); }
WARPLENS_HALF_OPERATOR(+, __hadd)
WARPLENS_HALF_OPERATOR(-, __hsub)
WARPLENS_HALF_OPERATOR(*, __hmul)
WARPLENS_HALF_OPERATOR(/, __hdiv)
#undef WARPLENS_HALF_OPERATOR

WARPLENS_FN __half2 make_half2(__half a, __half b) { return {a, b}; }
WARPLENS_FN __half2 __halves2half2(__half a, __half b) { return {a, b}; }
WARPLENS_FN __half2 __half2half2(__half a) { return {a, a}; }
WARPLENS_FN __half2 __float2half2_rn(float v) { return {__half(v), __half(v)}; }
WARPLENS_FN __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
WARPLENS_FN __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
WARPLENS_FN __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
WARPLENS_FN __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
WARPLENS_FN __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
WARPLENS_FN float2 __half22float2(__half2 v) { return {(float)v.x, (float)v.y}; }
WARPLENS_FN __half __low2half(__half2 v) { return v.x; }
WARPLENS_FN __half __high2half(__half2 v) { return v.y; }
WARPLENS_FN float __low2float(__half2 v) { return (float)v.x; }
WARPLENS_FN float __high2float(__half2 v) { return (float)v.y; }
WARPLENS_FN __half2 __hadd2(__half2 a, __half2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }
WARPLENS_FN __half2 __hsub2(__half2 a, __half2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }
WARPLENS_FN __half2 __hmul2(__half2 a, __half2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }
WARPLENS_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
WARPLENS_FN __half2 __hneg2(__half2 a) { return {__hneg(a.x), __hneg(a.y)}; }
WARPLENS_FN __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
WARPLENS_FN __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }

// The functions of a half: those of float, rounded once.
WARPLENS_FN __half __habs(__half a) { return __ushort_as_half(a.bits & 0x7fff); }
WARPLENS_FN __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
WARPLENS_FN bool __hge(__half a, __half b) { return (float)a >= (float)b; }
WARPLENS_FN bool __hle(__half a, __half b) { return (float)a <= (float)b; }
WARPLENS_FN bool __hne(__half a, __half b) { return (float)a != (float)b; }
WARPLENS_FN bool __hisnan(__half a) { return (a.bits & 0x7fff) > 0x7c00; }
WARPLENS_FN int __hisinf(__half a) {
  return (a.bits & 0x7fff) != 0x7c00 ? 0 : (a.bits & 0x8000) != 0 ? -1 : 1;
}
#define WARPLENS_HALF_FUNCTION(name, function) \
  WARPLENS_FN __half name(__half a) { return __half(function((float)a)); }
WARPLENS_HALF_FUNCTION(hexp, expf)
WARPLENS_HALF_FUNCTION(hexp2, exp2f)
WARPLENS_HALF_FUNCTION(hlog, logf)
WARPLENS_HALF_FUNCTION(hlog2, log2f)
WARPLENS_HALF_FUNCTION(hsin, sinf)
WARPLENS_HALF_FUNCTION(hcos, cosf)
WARPLENS_HALF_FUNCTION(hsqrt, sqrtf)
WARPLENS_HALF_FUNCTION(hrsqrt, rsqrtf)
WARPLENS_HALF_FUNCTION(hfloor, floorf)
WARPLENS_HALF_FUNCTION(hceil, ceilf)
WARPLENS_HALF_FUNCTION(hrint, rintf)
WARPLENS_HALF_FUNCTION(htrunc, truncf)
WARPLENS_HALF_FUNCTION(htanh, tanhf)
#undef WARPLENS_HALF_FUNCTION
WARPLENS_FN __half hrcp(__half a) { return __half(1.0f / (float)a); }
WARPLENS_FN int __half2int_rn(__half a) { return __float2int_rn((float)a); }
WARPLENS_FN int __half2int_rz(__half a) { return (int)(float)a; }
WARPLENS_FN __half __int2half_rn(int v) { return __half((float)v); }
