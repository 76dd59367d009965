// Several small integers in a word, and loads and stores with a cache operator.
#pragma once

template <int BITS>
WARPLENS_FN int warplens_saturated(int x) {
  return x < -(1 << (BITS - 1)) ? -(1 << (BITS - 1)) : x >= 1 << (BITS - 1) ? (1 << (BITS - 1)) - 1 : x;
}

// result = f of each field of BITS bits of a and b.
#define WARPLENS_FIELDS(name, BITS, T, expression)                       \
  WARPLENS_FN unsigned name(unsigned a, unsigned b) {                    \
    unsigned out = 0;                                                    \
    _Pragma("unroll") for (int i = 0; i < 32; i += BITS) {               \
      const int x = (T)(a >> i), y = (T)(b >> i);                        \
      out |= ((unsigned)(expression) & ((1u << BITS) - 1)) << i;         \
    }                                                                    \
    return out;                                                          \
  }
#define WARPLENS_WIDTHS(stem, BITS, S, U)                                \
  WARPLENS_FIELDS(__vadd##stem, BITS, U, x + y)                          \
  WARPLENS_FIELDS(__vsub##stem, BITS, U, x - y)                          \
  WARPLENS_FIELDS(__vaddss##stem, BITS, S, warplens_saturated<BITS>(x + y)) \
  WARPLENS_FIELDS(__vsubss##stem, BITS, S, warplens_saturated<BITS>(x - y)) \
  WARPLENS_FIELDS(__vabsdiffu##stem, BITS, U, x > y ? x - y : y - x)     \
  WARPLENS_FIELDS(__vabsdiffs##stem, BITS, S, x > y ? x - y : y - x)     \
  WARPLENS_FIELDS(__vmaxu##stem, BITS, U, x > y ? x : y)                 \
  WARPLENS_FIELDS(__vmaxs##stem, BITS, S, x > y ? x : y)                 \
  WARPLENS_FIELDS(__vminu##stem, BITS, U, x < y ? x : y)                 \
  WARPLENS_FIELDS(__vmins##stem, BITS, S, x < y ? x : y)                 \
  WARPLENS_FIELDS(__vavgu##stem, BITS, U, (x + y + 1) >> 1)              \
  WARPLENS_FIELDS(__vavgs##stem, BITS, S, (x + y + (x + y >= 0)) >> 1)   \
  WARPLENS_FIELDS(__vcmpeq##stem, BITS, U, x == y ? -1 : 0)              \
  WARPLENS_FIELDS(__vcmpne##stem, BITS, U, x != y ? -1 : 0)              \
  WARPLENS_FIELDS(__vcmpgtu##stem, BITS, U, x > y ? -1 : 0)              \
  WARPLENS_FIELDS(__vcmpgts##stem, BITS, S, x > y ? -1 : 0)              \
  WARPLENS_FIELDS(__vcmpltu##stem, BITS, U, x < y ? -1 : 0)              \
  WARPLENS_FIELDS(__vseteq##stem, BITS, U, x == y)                       \
  WARPLENS_FIELDS(__vsetgtu##stem, BITS, U, x > y)                       \
  WARPLENS_FN unsigned __vsadu##stem(unsigned a, unsigned b) {           \
    unsigned sum = 0;                                                    \
    _Pragma("unroll") for (int i = 0; i < 32; i += BITS) {               \
      const int x = (U)(a >> i), y = (U)(b >> i);                        \
      sum += (unsigned)(x > y ? x - y : y - x);                          \
    }                                                                    \
    return sum;                                                          \
  }
WARPLENS_WIDTHS(2, 16, short, unsigned short)
WARPLENS_WIDTHS(4, 8, signed char, unsigned char)
#undef WARPLENS_WIDTHS
#undef WARPLENS_FIELDS

// What a cache operator asks for changes where data are kept, not what is read.
#define WARPLENS_LOAD(name) \
  template <typename T>     \
  WARPLENS_FN T name(const T* p) { return *p; }
WARPLENS_LOAD(__ldcg)
WARPLENS_LOAD(__ldca)
WARPLENS_LOAD(__ldcs)
WARPLENS_LOAD(__ldlu)
template <typename T>
WARPLENS_FN T __ldcv(const T* p) { return *(const volatile T*)p; }
#define WARPLENS_STORE(name) \
  template <typename T>      \
  WARPLENS_FN void name(T* p, T value) { *p = value; }
WARPLENS_STORE(__stcg)
WARPLENS_STORE(__stcs)
WARPLENS_STORE(__stwb)
WARPLENS_STORE(__stwt)
#undef WARPLENS_LOAD
#undef WARPLENS_STORE
