// Barriers, fences, shuffles, votes, matches, reductions, clocks and cached loads.
#pragma once

// Barriers and fences are assembly that clobbers memory: LLVM believes that its own barrier intrinsics leave
// variables alone whose address is never taken, and moves loads of a __shared__ variable across them.
WARPLENS_FN void warplens_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() warplens_syncthreads()  // a name that clang keeps for itself
WARPLENS_FN int __syncthreads_count(int p) {
  int count;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(p) : "memory");
  return count;
}
#define WARPLENS_BARRIER(name, op)                                                                            \
  WARPLENS_FN int name(int p) {                                                                               \
    int result;                                                                                               \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." #op ".pred q, 0, p; selp.s32 %0, 1, 0, q; }" \
                 : "=r"(result)                                                                               \
                 : "r"(p)                                                                                     \
                 : "memory");                                                                                 \
    return result;                                                                                            \
  }
WARPLENS_BARRIER(__syncthreads_and, and)
WARPLENS_BARRIER(__syncthreads_or, or)
#undef WARPLENS_BARRIER
WARPLENS_FN void __syncwarp(unsigned int mask = 0xffffffffu) {
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
WARPLENS_FN void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
WARPLENS_FN void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
WARPLENS_FN void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }

WARPLENS_FN unsigned int __activemask() {
  unsigned int mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
WARPLENS_FN unsigned int __ballot_sync(unsigned int mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
WARPLENS_FN int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p); }
WARPLENS_FN int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p); }
WARPLENS_FN int __uni_sync(unsigned int mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
WARPLENS_FN unsigned int __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }

// The control word holds the last lane of a segment and the segment's mask, as the PTX manual defines it.
#define WARPLENS_SHUFFLE(name, op, last)                                                                      \
  WARPLENS_FN int name(unsigned int mask, int v, int lane, int width = 32) {                                  \
    return __nvvm_shfl_sync_##op##_i32(mask, v, lane, ((32 - width) << 8) | last);                            \
  }                                                                                                           \
  WARPLENS_FN unsigned int name(unsigned int mask, unsigned int v, int lane, int width = 32) {                \
    return (unsigned int)name(mask, (int)v, lane, width);                                                     \
  }                                                                                                           \
  WARPLENS_FN float name(unsigned int mask, float v, int lane, int width = 32) {                              \
    return __nvvm_bitcast_i2f(name(mask, __nvvm_bitcast_f2i(v), lane, width));                                \
  }                                                                                                           \
  WARPLENS_FN long long name(unsigned int mask, long long v, int lane, int width = 32) {                      \
    const int low = name(mask, (int)v, lane, width), high = name(mask, (int)(v >> 32), lane, width);          \
    return ((long long)high << 32) | (unsigned int)low;                                                       \
  }                                                                                                           \
  WARPLENS_FN unsigned long long name(unsigned int mask, unsigned long long v, int lane, int width = 32) {    \
    return (unsigned long long)name(mask, (long long)v, lane, width);                                         \
  }                                                                                                           \
  WARPLENS_FN long name(unsigned int mask, long v, int lane, int width = 32) {                                \
    return (long)name(mask, (long long)v, lane, width);                                                       \
  }                                                                                                           \
  WARPLENS_FN unsigned long name(unsigned int mask, unsigned long v, int lane, int width = 32) {              \
    return (unsigned long)name(mask, (long long)v, lane, width);                                              \
  }                                                                                                           \
  WARPLENS_FN double name(unsigned int mask, double v, int lane, int width = 32) {                            \
    return __builtin_bit_cast(double, name(mask, __builtin_bit_cast(long long, v), lane, width));             \
  }
WARPLENS_SHUFFLE(__shfl_sync, idx, 0x1f)
WARPLENS_SHUFFLE(__shfl_up_sync, up, 0)
WARPLENS_SHUFFLE(__shfl_down_sync, down, 0x1f)
WARPLENS_SHUFFLE(__shfl_xor_sync, bfly, 0x1f)
#undef WARPLENS_SHUFFLE

#if __CUDA_ARCH__ >= 700
// As assembly: clang 14's built-in for 64 bits writes its mask to a register of 64 bits, which ptxas refuses.
#define WARPLENS_MATCH(type, bits, constraint, word)                                                          \
  WARPLENS_FN unsigned int __match_any_sync(unsigned int mask, type v) {                                      \
    unsigned int same;                                                                                        \
    asm volatile("match.any.sync." #bits " %0, %1, %2;"                                                       \
                 : "=r"(same)                                                                                 \
                 : constraint(__builtin_bit_cast(word, v)), "r"(mask));                                       \
    return same;                                                                                              \
  }                                                                                                           \
  WARPLENS_FN unsigned int __match_all_sync(unsigned int mask, type v, int* all) {                            \
    unsigned int same;                                                                                        \
    asm volatile("{.reg .pred p; match.all.sync." #bits " %0|p, %2, %3; selp.s32 %1, 1, 0, p;}"               \
                 : "=r"(same), "=r"(*all)                                                                     \
                 : constraint(__builtin_bit_cast(word, v)), "r"(mask));                                       \
    return same;                                                                                              \
  }
WARPLENS_MATCH(int, b32, "r", unsigned int)
WARPLENS_MATCH(unsigned int, b32, "r", unsigned int)
WARPLENS_MATCH(float, b32, "r", unsigned int)
WARPLENS_MATCH(long, b64, "l", unsigned long long)
WARPLENS_MATCH(unsigned long, b64, "l", unsigned long long)
WARPLENS_MATCH(long long, b64, "l", unsigned long long)
WARPLENS_MATCH(unsigned long long, b64, "l", unsigned long long)
WARPLENS_MATCH(double, b64, "l", unsigned long long)
#undef WARPLENS_MATCH
#endif

#if __CUDA_ARCH__ >= 800
#define WARPLENS_REDUCE(name, type, op, suffix, constraint)                                                   \
  WARPLENS_FN type name(unsigned int mask, type v) {                                                          \
    type result;                                                                                              \
    asm volatile("redux.sync." #op "." #suffix " %0, %1, %2;" : "=r"(result) : "r"(v), "r"(mask));            \
    return result;                                                                                            \
  }
WARPLENS_REDUCE(__reduce_add_sync, int, add, s32, r)
WARPLENS_REDUCE(__reduce_add_sync, unsigned int, add, u32, r)
WARPLENS_REDUCE(__reduce_min_sync, int, min, s32, r)
WARPLENS_REDUCE(__reduce_min_sync, unsigned int, min, u32, r)
WARPLENS_REDUCE(__reduce_max_sync, int, max, s32, r)
WARPLENS_REDUCE(__reduce_max_sync, unsigned int, max, u32, r)
WARPLENS_REDUCE(__reduce_and_sync, unsigned int, and, b32, r)
WARPLENS_REDUCE(__reduce_or_sync, unsigned int, or, b32, r)
WARPLENS_REDUCE(__reduce_xor_sync, unsigned int, xor, b32, r)
#undef WARPLENS_REDUCE
#endif

WARPLENS_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
WARPLENS_FN int clock() { return __nvvm_read_ptx_sreg_clock(); }
WARPLENS_FN void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }

// The read-only path.
WARPLENS_FN char __ldg(const char* p) { return __nvvm_ldg_c(p); }
WARPLENS_FN signed char __ldg(const signed char* p) { return (signed char)__nvvm_ldg_c((const char*)p); }
WARPLENS_FN unsigned char __ldg(const unsigned char* p) { return __nvvm_ldg_uc(p); }
WARPLENS_FN short __ldg(const short* p) { return __nvvm_ldg_s(p); }
WARPLENS_FN unsigned short __ldg(const unsigned short* p) { return __nvvm_ldg_us(p); }
WARPLENS_FN int __ldg(const int* p) { return __nvvm_ldg_i(p); }
WARPLENS_FN unsigned int __ldg(const unsigned int* p) { return __nvvm_ldg_ui(p); }
WARPLENS_FN long long __ldg(const long long* p) { return __nvvm_ldg_ll(p); }
WARPLENS_FN unsigned long long __ldg(const unsigned long long* p) { return __nvvm_ldg_ull(p); }
WARPLENS_FN float __ldg(const float* p) { return __nvvm_ldg_f(p); }
WARPLENS_FN double __ldg(const double* p) { return __nvvm_ldg_d(p); }
#define WARPLENS_LDG2(type, element, builtin)                                                                 \
  WARPLENS_FN type __ldg(const type* p) {                                                                     \
    typedef element two __attribute__((ext_vector_type(2)));                                                  \
    const two v = builtin((const two*)p);                                                                     \
    return {v[0], v[1]};                                                                                      \
  }
#define WARPLENS_LDG4(type, element, builtin)                                                                 \
  WARPLENS_FN type __ldg(const type* p) {                                                                     \
    typedef element four __attribute__((ext_vector_type(4)));                                                 \
    const four v = builtin((const four*)p);                                                                   \
    return {v[0], v[1], v[2], v[3]};                                                                          \
  }
WARPLENS_LDG2(float2, float, __nvvm_ldg_f2)
WARPLENS_LDG4(float4, float, __nvvm_ldg_f4)
WARPLENS_LDG2(double2, double, __nvvm_ldg_d2)
WARPLENS_LDG2(int2, int, __nvvm_ldg_i2)
WARPLENS_LDG4(int4, int, __nvvm_ldg_i4)
WARPLENS_LDG2(uint2, unsigned int, __nvvm_ldg_ui2)
WARPLENS_LDG4(uint4, unsigned int, __nvvm_ldg_ui4)
#undef WARPLENS_LDG2
#undef WARPLENS_LDG4
