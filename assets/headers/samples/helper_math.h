// Arithmetic of CUDA's vector types, as programs know it from the header of this name in the toolkit's samples.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#define WARPLENS_BOTH static inline __host__ __device__

// A vector of one number, and + - * / of vectors, of a vector and a number, and in place.
#define WARPLENS_OPERATOR2(V, S, op) \
  WARPLENS_BOTH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y); } \
  WARPLENS_BOTH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b); } \
  WARPLENS_BOTH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y); } \
  WARPLENS_BOTH void operator op##=(V& a, V b) { a = a op b; } \
  WARPLENS_BOTH void operator op##=(V& a, S b) { a = a op b; }
#define WARPLENS_VECTOR2(V, S) \
  WARPLENS_BOTH V make_##V(S s) { return make_##V(s, s); } \
  WARPLENS_OPERATOR2(V, S, +) \
  WARPLENS_OPERATOR2(V, S, -) \
  WARPLENS_OPERATOR2(V, S, *) \
  WARPLENS_OPERATOR2(V, S, /) \
  WARPLENS_BOTH S dot(V a, V b) { return a.x * b.x + a.y * b.y; }
#define WARPLENS_OPERATOR3(V, S, op) \
  WARPLENS_BOTH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z); } \
  WARPLENS_BOTH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b, a.z op b); } \
  WARPLENS_BOTH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y, a op b.z); } \
  WARPLENS_BOTH void operator op##=(V& a, V b) { a = a op b; } \
  WARPLENS_BOTH void operator op##=(V& a, S b) { a = a op b; }
#define WARPLENS_VECTOR3(V, S) \
  WARPLENS_BOTH V make_##V(S s) { return make_##V(s, s, s); } \
  WARPLENS_OPERATOR3(V, S, +) \
  WARPLENS_OPERATOR3(V, S, -) \
  WARPLENS_OPERATOR3(V, S, *) \
  WARPLENS_OPERATOR3(V, S, /) \
  WARPLENS_BOTH S dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
#define WARPLENS_OPERATOR4(V, S, op) \
  WARPLENS_BOTH V operator op(V a, V b) { return make_##V(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
  WARPLENS_BOTH V operator op(V a, S b) { return make_##V(a.x op b, a.y op b, a.z op b, a.w op b); } \
  WARPLENS_BOTH V operator op(S a, V b) { return make_##V(a op b.x, a op b.y, a op b.z, a op b.w); } \
  WARPLENS_BOTH void operator op##=(V& a, V b) { a = a op b; } \
  WARPLENS_BOTH void operator op##=(V& a, S b) { a = a op b; }
#define WARPLENS_VECTOR4(V, S) \
  WARPLENS_BOTH V make_##V(S s) { return make_##V(s, s, s, s); } \
  WARPLENS_OPERATOR4(V, S, +) \
  WARPLENS_OPERATOR4(V, S, -) \
  WARPLENS_OPERATOR4(V, S, *) \
  WARPLENS_OPERATOR4(V, S, /) \
  WARPLENS_BOTH S dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

#define WARPLENS_VECTORS(T, S) \
  WARPLENS_VECTOR2(T##2, S)    \
  WARPLENS_VECTOR3(T##3, S)    \
  WARPLENS_VECTOR4(T##4, S)
WARPLENS_VECTORS(float, float)
WARPLENS_VECTORS(int, int)
WARPLENS_VECTORS(uint, unsigned int)
#undef WARPLENS_VECTORS

// From one type and size to another.
WARPLENS_BOTH float2 make_float2(float3 a) { return make_float2(a.x, a.y); }
WARPLENS_BOTH float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
WARPLENS_BOTH float2 make_float2(uint2 a) { return make_float2(float(a.x), float(a.y)); }
WARPLENS_BOTH int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
WARPLENS_BOTH float3 make_float3(float2 a) { return make_float3(a.x, a.y, 0.0f); }
WARPLENS_BOTH float3 make_float3(float2 a, float s) { return make_float3(a.x, a.y, s); }
WARPLENS_BOTH float3 make_float3(float4 a) { return make_float3(a.x, a.y, a.z); }
WARPLENS_BOTH float3 make_float3(int3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
WARPLENS_BOTH float3 make_float3(uint3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
WARPLENS_BOTH int3 make_int3(float3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }
WARPLENS_BOTH uint3 make_uint3(float3 a) {
  return make_uint3((unsigned int)a.x, (unsigned int)a.y, (unsigned int)a.z);
}
WARPLENS_BOTH float4 make_float4(float3 a) { return make_float4(a.x, a.y, a.z, 0.0f); }
WARPLENS_BOTH float4 make_float4(float3 a, float w) { return make_float4(a.x, a.y, a.z, w); }
WARPLENS_BOTH float4 make_float4(int4 a) { return make_float4(float(a.x), float(a.y), float(a.z), float(a.w)); }
WARPLENS_BOTH int4 make_int4(float4 a) { return make_int4(int(a.x), int(a.y), int(a.z), int(a.w)); }

WARPLENS_BOTH float lerp(float a, float b, float t) { return a + t * (b - a); }
WARPLENS_BOTH float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
WARPLENS_BOTH int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
WARPLENS_BOTH float fracf(float v) { return v - floorf(v); }

#define WARPLENS_EACH2(V, name, f) WARPLENS_BOTH V name(V a) { return make_##V(f(a.x), f(a.y)); }
#define WARPLENS_EACH3(V, name, f) WARPLENS_BOTH V name(V a) { return make_##V(f(a.x), f(a.y), f(a.z)); }
#define WARPLENS_EACH4(V, name, f) WARPLENS_BOTH V name(V a) { return make_##V(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define WARPLENS_PAIR2(V, name, f) WARPLENS_BOTH V name(V a, V b) { return make_##V(f(a.x, b.x), f(a.y, b.y)); }
#define WARPLENS_PAIR3(V, name, f) WARPLENS_BOTH V name(V a, V b) { return make_##V(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); }
#define WARPLENS_PAIR4(V, name, f) WARPLENS_BOTH V name(V a, V b) { return make_##V(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); }
#define WARPLENS_FLOATS(V, N)                                                       \
  WARPLENS_BOTH V operator-(V a) { return a * -1.0f; }                              \
  WARPLENS_EACH##N(V, fabs, fabsf)                                                  \
  WARPLENS_EACH##N(V, floorf, ::floorf)                                             \
  WARPLENS_EACH##N(V, fracf, ::fracf)                                               \
  WARPLENS_PAIR##N(V, fminf, ::fminf)                                               \
  WARPLENS_PAIR##N(V, fmaxf, ::fmaxf)                                               \
  WARPLENS_PAIR##N(V, fmodf, ::fmodf)                                               \
  WARPLENS_BOTH V lerp(V a, V b, float t) { return a + t * (b - a); }               \
  WARPLENS_BOTH V clamp(V v, V a, V b) { return fmaxf(a, fminf(v, b)); }            \
  WARPLENS_BOTH V clamp(V v, float a, float b) { return clamp(v, make_##V(a), make_##V(b)); } \
  WARPLENS_BOTH float length(V v) { return sqrtf(dot(v, v)); }                      \
  WARPLENS_BOTH V normalize(V v) { return v * (1.0f / sqrtf(dot(v, v))); }          \
  WARPLENS_BOTH V reflect(V i, V n) { return i - 2.0f * n * dot(n, i); }
WARPLENS_FLOATS(float2, 2)
WARPLENS_FLOATS(float3, 3)
WARPLENS_FLOATS(float4, 4)
WARPLENS_BOTH int2 operator-(int2 a) { return a * -1; }
WARPLENS_BOTH int3 operator-(int3 a) { return a * -1; }
WARPLENS_BOTH float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#undef WARPLENS_BOTH
