// The part of the C++ standard library that kernels use, for compilers that have none of it: NVRTC, and clang
// without a CUDA toolkit. It stands in for <cstdint>, <climits>, <cfloat>, <limits>, <type_traits>, <utility>
// and the small rest.
#pragma once

#define WARPLENS_HD __host__ __device__
#ifdef __CUDACC_RTC__
#undef WARPLENS_HD
#define WARPLENS_HD __device__
#endif

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
#ifdef __CUDACC_RTC__
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
typedef long int64_t;
typedef unsigned long uint64_t;
#endif
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

#ifndef NULL
#define NULL 0
#endif
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define UINT8_MAX UCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define UINT16_MAX USHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LLONG_MIN
#define INT64_MAX LLONG_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX ULONG_MAX
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LN2 0.693147180559945309417
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
#endif
#ifdef __CUDACC_RTC__
#define WARPLENS_INF (__longlong_as_double(0x7ff0000000000000ll))
#define WARPLENS_INF_F (__int_as_float(0x7f800000))
#define WARPLENS_NAN_F (__int_as_float(0x7fffffff))
#else
#define WARPLENS_INF (__builtin_huge_val())
#define WARPLENS_INF_F (__builtin_huge_valf())
#define WARPLENS_NAN_F (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY WARPLENS_INF_F
#endif
#ifndef NAN
#define NAN WARPLENS_NAN_F
#endif

namespace std {
#ifdef __CUDACC_RTC__
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::cos;
using ::exp;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::pow;
using ::round;
using ::sin;
using ::sqrt;
using ::tan;
using ::tanh;
#endif
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef decltype(nullptr) nullptr_t;

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  WARPLENS_HD constexpr operator T() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

// Bases that depend on A are not instantiated before they are used, and leave no variable in the PTX.
template <class> struct warplens_never { enum : bool { value = false }; };
template <class A, class B> struct is_same : integral_constant<bool, warplens_never<A>::value> {};
template <class A> struct is_same<A, A> : integral_constant<bool, !warplens_never<A>::value> {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;

template <bool, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool b, class A, class B> using conditional_t = typename conditional<b, A, B>::type;

template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct is_floating_point
    : integral_constant<bool, is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T, class... Others> inline constexpr bool is_one_of_v = (is_same_v<T, Others> || ...);
template <class T> struct is_integral
    : integral_constant<bool, is_one_of_v<remove_cv_t<T>, bool, char, signed char, unsigned char, short,
                                          unsigned short, int, unsigned, long, unsigned long, long long,
                                          unsigned long long>> {};
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;

#ifndef __CUDACC_RTC__  // NVRTC has these two built in
template <class T> WARPLENS_HD constexpr remove_reference_t<T>&& move(T&& t) {
  return static_cast<remove_reference_t<T>&&>(t);
}
template <class T> WARPLENS_HD constexpr T&& forward(remove_reference_t<T>& t) { return static_cast<T&&>(t); }
#endif
template <class T> WARPLENS_HD constexpr void swap(T& a, T& b) {
  T t = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(t);
}
template <class T> WARPLENS_HD constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> WARPLENS_HD constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }

template <class T> struct numeric_limits;
#define WARPLENS_LIMITS(T, low, high, tiny)                                \
  template <> struct numeric_limits<T> {                                   \
    WARPLENS_HD static constexpr T lowest() { return low; }                \
    WARPLENS_HD static constexpr T max() { return high; }                  \
    WARPLENS_HD static constexpr T min() { return tiny; }                  \
  };
WARPLENS_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN)
WARPLENS_LIMITS(unsigned char, 0, UCHAR_MAX, 0)
WARPLENS_LIMITS(short, SHRT_MIN, SHRT_MAX, SHRT_MIN)
WARPLENS_LIMITS(unsigned short, 0, USHRT_MAX, 0)
WARPLENS_LIMITS(int, INT_MIN, INT_MAX, INT_MIN)
WARPLENS_LIMITS(unsigned, 0, UINT_MAX, 0)
WARPLENS_LIMITS(long, LONG_MIN, LONG_MAX, LONG_MIN)
WARPLENS_LIMITS(unsigned long, 0, ULONG_MAX, 0)
WARPLENS_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
WARPLENS_LIMITS(unsigned long long, 0, ULLONG_MAX, 0)
#undef WARPLENS_LIMITS
template <> struct numeric_limits<float> {
  WARPLENS_HD static constexpr float lowest() { return -FLT_MAX; }
  WARPLENS_HD static constexpr float max() { return FLT_MAX; }
  WARPLENS_HD static constexpr float min() { return FLT_MIN; }
  WARPLENS_HD static constexpr float epsilon() { return FLT_EPSILON; }
  WARPLENS_HD static float infinity() { return WARPLENS_INF_F; }
};
template <> struct numeric_limits<double> {
  WARPLENS_HD static constexpr double lowest() { return -DBL_MAX; }
  WARPLENS_HD static constexpr double max() { return DBL_MAX; }
  WARPLENS_HD static constexpr double min() { return DBL_MIN; }
  WARPLENS_HD static constexpr double epsilon() { return DBL_EPSILON; }
  WARPLENS_HD static double infinity() { return WARPLENS_INF; }
};
}  // namespace std
