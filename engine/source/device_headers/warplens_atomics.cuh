// Atomic read-modify-write operations.
#pragma once

#define WARPLENS_ATOMIC(name, type, builtin, as)                                                              \
  WARPLENS_FN type name(type* p, type v) { return (type)builtin((as*)p, (as)v); }                             \
  WARPLENS_FN type name##_block(type* p, type v) { return name(p, v); }                                       \
  WARPLENS_FN type name##_system(type* p, type v) { return name(p, v); }

WARPLENS_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
WARPLENS_ATOMIC(atomicAdd, unsigned int, __nvvm_atom_add_gen_i, int)
WARPLENS_ATOMIC(atomicAdd, unsigned long long, __nvvm_atom_add_gen_ll, long long)
WARPLENS_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
#if __CUDA_ARCH__ >= 600
WARPLENS_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
#endif
WARPLENS_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i, int)
WARPLENS_ATOMIC(atomicExch, unsigned int, __nvvm_atom_xchg_gen_i, int)
WARPLENS_ATOMIC(atomicExch, unsigned long long, __nvvm_atom_xchg_gen_ll, long long)
WARPLENS_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
WARPLENS_ATOMIC(atomicMin, unsigned int, __nvvm_atom_min_gen_ui, unsigned int)
WARPLENS_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
WARPLENS_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull, unsigned long long)
WARPLENS_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
WARPLENS_ATOMIC(atomicMax, unsigned int, __nvvm_atom_max_gen_ui, unsigned int)
WARPLENS_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
WARPLENS_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull, unsigned long long)
WARPLENS_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i, int)
WARPLENS_ATOMIC(atomicAnd, unsigned int, __nvvm_atom_and_gen_i, int)
WARPLENS_ATOMIC(atomicAnd, unsigned long long, __nvvm_atom_and_gen_ll, long long)
WARPLENS_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i, int)
WARPLENS_ATOMIC(atomicOr, unsigned int, __nvvm_atom_or_gen_i, int)
WARPLENS_ATOMIC(atomicOr, unsigned long long, __nvvm_atom_or_gen_ll, long long)
WARPLENS_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i, int)
WARPLENS_ATOMIC(atomicXor, unsigned int, __nvvm_atom_xor_gen_i, int)
WARPLENS_ATOMIC(atomicXor, unsigned long long, __nvvm_atom_xor_gen_ll, long long)
WARPLENS_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui, unsigned int)
WARPLENS_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui, unsigned int)
#undef WARPLENS_ATOMIC

WARPLENS_FN int atomicSub(int* p, int v) { return atomicAdd(p, -v); }
WARPLENS_FN unsigned int atomicSub(unsigned int* p, unsigned int v) { return atomicAdd(p, 0u - v); }
WARPLENS_FN float atomicExch(float* p, float v) {
  return __nvvm_bitcast_i2f(atomicExch((int*)p, __nvvm_bitcast_f2i(v)));
}
WARPLENS_FN int atomicCAS(int* p, int expected, int v) { return __nvvm_atom_cas_gen_i(p, expected, v); }
WARPLENS_FN unsigned int atomicCAS(unsigned int* p, unsigned int expected, unsigned int v) {
  return (unsigned int)__nvvm_atom_cas_gen_i((int*)p, (int)expected, (int)v);
}
WARPLENS_FN unsigned long long atomicCAS(unsigned long long* p, unsigned long long expected,
                                         unsigned long long v) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)p, (long long)expected, (long long)v);
}
