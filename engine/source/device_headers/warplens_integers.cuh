// Integer intrinsics, bit casts, conversions, min, max and abs.
#pragma once

WARPLENS_FN int __popc(unsigned int v) { return __builtin_popcount(v); }
WARPLENS_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
WARPLENS_FN int __clz(int v) { return v == 0 ? 32 : __builtin_clz((unsigned int)v); }
WARPLENS_FN int __clzll(long long v) { return v == 0 ? 64 : __builtin_clzll((unsigned long long)v); }
WARPLENS_FN int __ffs(int v) { return __builtin_ffs(v); }
WARPLENS_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
WARPLENS_FN unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
WARPLENS_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
WARPLENS_FN unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
  return __nvvm_prmt(a, b, s);
}
WARPLENS_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
WARPLENS_FN unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)(((unsigned long long)a * b) >> 32);
}
WARPLENS_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
WARPLENS_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPLENS_FN unsigned int __umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
WARPLENS_FN int __sad(int a, int b, unsigned int c) { return (int)((a < b ? b - a : a - b) + c); }
WARPLENS_FN unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a < b ? b - a : a - b) + c;
}
WARPLENS_FN long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
// Dot products of packed bytes, and of two 16-bit elements with two of the bytes.
#define WARPLENS_DOT(name, type, form)                                              \
  WARPLENS_FN type name(type a, type b, type c) {                                   \
    type sum;                                                                       \
    asm(form " %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));              \
    return sum;                                                                     \
  }
WARPLENS_DOT(__dp4a, int, "dp4a.s32.s32")
WARPLENS_DOT(__dp4a, unsigned int, "dp4a.u32.u32")
WARPLENS_DOT(__dp2a_lo, int, "dp2a.lo.s32.s32")
WARPLENS_DOT(__dp2a_lo, unsigned int, "dp2a.lo.u32.u32")
WARPLENS_DOT(__dp2a_hi, int, "dp2a.hi.s32.s32")
WARPLENS_DOT(__dp2a_hi, unsigned int, "dp2a.hi.u32.u32")
#undef WARPLENS_DOT

// Addresses between the spaces and the generic one.
WARPLENS_FN unsigned long __cvta_generic_to_shared(const void* p) {
  unsigned long address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
WARPLENS_FN unsigned long __cvta_generic_to_global(const void* p) {
  unsigned long address;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(address) : "l"(p));
  return address;
}
WARPLENS_FN void* __cvta_shared_to_generic(unsigned long address) {
  void* p;
  asm("cvta.shared.u64 %0, %1;" : "=l"(p) : "l"(address));
  return p;
}
#define WARPLENS_IS_IN(name, space)                                                                  \
  WARPLENS_FN unsigned int name(const void* p) {                                                     \
    unsigned int inside;                                                                             \
    asm("{.reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(inside) : "l"(p));  \
    return inside;                                                                                   \
  }
WARPLENS_IS_IN(__isShared, "shared")
WARPLENS_IS_IN(__isGlobal, "global")
WARPLENS_IS_IN(__isLocal, "local")
#undef WARPLENS_IS_IN

WARPLENS_FN unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)(((((unsigned long long)high << 32) | low) << (by & 31)) >> 32);
}
WARPLENS_FN unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int by) {
  return (unsigned int)((((unsigned long long)high << 32) | low) >> (by & 31));
}

WARPLENS_FN int __float_as_int(float v) { return __nvvm_bitcast_f2i(v); }
WARPLENS_FN unsigned int __float_as_uint(float v) { return (unsigned int)__nvvm_bitcast_f2i(v); }
WARPLENS_FN float __int_as_float(int v) { return __nvvm_bitcast_i2f(v); }
WARPLENS_FN float __uint_as_float(unsigned int v) { return __nvvm_bitcast_i2f((int)v); }
WARPLENS_FN long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
WARPLENS_FN double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }

WARPLENS_FN int __float2int_rn(float v) { return __nvvm_f2i_rn(v); }
WARPLENS_FN int __float2int_rz(float v) { return __nvvm_f2i_rz(v); }
WARPLENS_FN int __float2int_rd(float v) { return __nvvm_f2i_rm(v); }
WARPLENS_FN int __float2int_ru(float v) { return __nvvm_f2i_rp(v); }
WARPLENS_FN unsigned int __float2uint_rn(float v) { return __nvvm_f2ui_rn(v); }
WARPLENS_FN unsigned int __float2uint_rz(float v) { return __nvvm_f2ui_rz(v); }
WARPLENS_FN float __int2float_rn(int v) { return (float)v; }
WARPLENS_FN float __uint2float_rn(unsigned int v) { return (float)v; }
WARPLENS_FN float __double2float_rn(double v) { return (float)v; }

#define WARPLENS_MINMAX(T, A, B)                                                                              \
  WARPLENS_BOTH T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }                                         \
  WARPLENS_BOTH T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
WARPLENS_MINMAX(int, int, int)
WARPLENS_MINMAX(unsigned int, unsigned int, unsigned int)
WARPLENS_MINMAX(unsigned int, int, unsigned int)
WARPLENS_MINMAX(unsigned int, unsigned int, int)
WARPLENS_MINMAX(long, long, long)
WARPLENS_MINMAX(unsigned long, unsigned long, unsigned long)
WARPLENS_MINMAX(unsigned long, long, unsigned long)
WARPLENS_MINMAX(unsigned long, unsigned long, long)
WARPLENS_MINMAX(long long, long long, long long)
WARPLENS_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WARPLENS_MINMAX(unsigned long long, long long, unsigned long long)
WARPLENS_MINMAX(unsigned long long, unsigned long long, long long)
#undef WARPLENS_MINMAX
WARPLENS_BOTH int abs(int v) { return v < 0 ? -v : v; }
WARPLENS_BOTH long abs(long v) { return v < 0 ? -v : v; }
WARPLENS_BOTH long long abs(long long v) { return v < 0 ? -v : v; }
WARPLENS_BOTH long labs(long v) { return abs(v); }
WARPLENS_BOTH long long llabs(long long v) { return abs(v); }
