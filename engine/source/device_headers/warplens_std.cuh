// The part of the C++ standard library that kernels use, for compilers that have none of it: NVRTC, and clang
// without a CUDA toolkit. It stands in for <cstdint>, <climits>, <cfloat>, <limits>, <type_traits>, <utility>,
// <array> and the small rest.
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
// NVRTC defines some of these itself.
#ifndef CHAR_BIT
#define CHAR_BIT 8
#endif
#ifndef SCHAR_MIN
#define SCHAR_MIN (-128)
#endif
#ifndef SCHAR_MAX
#define SCHAR_MAX 127
#endif
#ifndef UCHAR_MAX
#define UCHAR_MAX 255
#endif
#ifndef SHRT_MIN
#define SHRT_MIN (-32768)
#endif
#ifndef SHRT_MAX
#define SHRT_MAX 32767
#endif
#ifndef USHRT_MAX
#define USHRT_MAX 65535
#endif
#ifndef CHAR_MIN
#define CHAR_MIN SCHAR_MIN
#endif
#ifndef CHAR_MAX
#define CHAR_MAX SCHAR_MAX
#endif
#ifndef INT_MIN
#define INT_MIN (-2147483647 - 1)
#endif
#ifndef INT_MAX
#define INT_MAX 2147483647
#endif
#ifndef UINT_MAX
#define UINT_MAX 4294967295u
#endif
#ifndef LONG_MAX
#define LONG_MAX 9223372036854775807l
#endif
#ifndef LONG_MIN
#define LONG_MIN (-9223372036854775807l - 1)
#endif
#ifndef ULONG_MAX
#define ULONG_MAX 18446744073709551615ul
#endif
#ifndef LLONG_MAX
#define LLONG_MAX 9223372036854775807ll
#endif
#ifndef LLONG_MIN
#define LLONG_MIN (-9223372036854775807ll - 1)
#endif
#ifndef ULLONG_MAX
#define ULLONG_MAX 18446744073709551615ull
#endif
#ifndef INT8_MIN
#define INT8_MIN SCHAR_MIN
#endif
#ifndef INT8_MAX
#define INT8_MAX SCHAR_MAX
#endif
#ifndef UINT8_MAX
#define UINT8_MAX UCHAR_MAX
#endif
#ifndef INT16_MIN
#define INT16_MIN SHRT_MIN
#endif
#ifndef INT16_MAX
#define INT16_MAX SHRT_MAX
#endif
#ifndef UINT16_MAX
#define UINT16_MAX USHRT_MAX
#endif
#ifndef INT32_MIN
#define INT32_MIN INT_MIN
#endif
#ifndef INT32_MAX
#define INT32_MAX INT_MAX
#endif
#ifndef UINT32_MAX
#define UINT32_MAX UINT_MAX
#endif
#ifndef INT64_MIN
#define INT64_MIN LLONG_MIN
#endif
#ifndef INT64_MAX
#define INT64_MAX LLONG_MAX
#endif
#ifndef UINT64_MAX
#define UINT64_MAX ULLONG_MAX
#endif
#ifndef SIZE_MAX
#define SIZE_MAX ULONG_MAX
#endif
#ifndef PTRDIFF_MIN
#define PTRDIFF_MIN LONG_MIN
#endif
#ifndef PTRDIFF_MAX
#define PTRDIFF_MAX LONG_MAX
#endif
#ifndef INTPTR_MAX
#define INTPTR_MAX INT64_MAX
#endif
#ifndef UINTPTR_MAX
#define UINTPTR_MAX UINT64_MAX
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#endif
#ifndef FLT_MIN
#define FLT_MIN 1.175494351e-38f
#endif
#ifndef FLT_EPSILON
#define FLT_EPSILON 1.192092896e-07f
#endif
#ifndef FLT_MANT_DIG
#define FLT_MANT_DIG 24
#endif
#ifndef DBL_MAX
#define DBL_MAX 1.7976931348623157e+308
#endif
#ifndef DBL_MIN
#define DBL_MIN 2.2250738585072014e-308
#endif
#ifndef DBL_EPSILON
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef FLT_DIG
#define FLT_DIG 6
#endif
#ifndef FLT_MIN_EXP
#define FLT_MIN_EXP (-125)
#endif
#ifndef FLT_MAX_EXP
#define FLT_MAX_EXP 128
#endif
#ifndef DBL_MANT_DIG
#define DBL_MANT_DIG 53
#endif
#ifndef DBL_DIG
#define DBL_DIG 15
#endif
#ifndef DBL_MIN_EXP
#define DBL_MIN_EXP (-1021)
#endif
#ifndef DBL_MAX_EXP
#define DBL_MAX_EXP 1024
#endif
#ifndef M_E
#define M_E 2.71828182845904523536
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.44269504088896340736
#endif
#ifndef M_LN2
#define M_LN2 0.693147180559945309417
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif
#ifndef M_PI_4
#define M_PI_4 0.785398163397448309616
#endif
#ifndef M_1_PI
#define M_1_PI 0.318309886183790671538
#endif
#ifndef M_2_PI
#define M_2_PI 0.636619772367581343076
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.707106781186547524401
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.434294481903251827651
#endif
#ifndef M_LN10
#define M_LN10 2.30258509299404568402
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
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

template <bool b> using bool_constant = integral_constant<bool, b>;

// Bases that depend on A are not instantiated before they are used, and leave no variable in the PTX.
template <class> struct warplens_never { enum : bool { value = false }; };
template <class A, class B> struct is_same : integral_constant<bool, warplens_never<A>::value> {};
template <class A> struct is_same<A, A> : integral_constant<bool, !warplens_never<A>::value> {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;

template <class...> using void_t = void;
template <class T> struct type_identity { typedef T type; };
template <bool, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool b, class A, class B> using conditional_t = typename conditional<b, A, B>::type;

template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T, size_t n> struct remove_extent<T[n]> { typedef T type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_cv { typedef remove_const_t<remove_volatile_t<T>> type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_cvref { typedef remove_cv_t<remove_reference_t<T>> type; };
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };
template <class T> struct remove_pointer<T* const> { typedef T type; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct add_const { typedef const T type; };
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> struct add_pointer { typedef remove_reference_t<T>* type; };
template <class T> using add_pointer_t = typename add_pointer<T>::type;

#define WARPLENS_TRAIT(name, ...)                                                 \
  template <class T> struct name : integral_constant<bool, (__VA_ARGS__)> {};     \
  template <class T> inline constexpr bool name##_v = name<T>::value;
template <class T, class... Others> inline constexpr bool is_one_of_v = (is_same_v<T, Others> || ...);
template <class T> inline constexpr bool warplens_is_const = false;
template <class T> inline constexpr bool warplens_is_const<const T> = true;
template <class T> inline constexpr bool warplens_is_pointer = false;
template <class T> inline constexpr bool warplens_is_pointer<T*> = true;
template <class T> inline constexpr bool warplens_is_array = false;
template <class T> inline constexpr bool warplens_is_array<T[]> = true;
template <class T, size_t n> inline constexpr bool warplens_is_array<T[n]> = true;
template <class T> inline constexpr bool warplens_is_reference = false;
template <class T> inline constexpr bool warplens_is_reference<T&> = true;
template <class T> inline constexpr bool warplens_is_reference<T&&> = true;
WARPLENS_TRAIT(is_void, is_same_v<remove_cv_t<T>, void>)
WARPLENS_TRAIT(is_const, warplens_is_const<T>)
WARPLENS_TRAIT(is_pointer, warplens_is_pointer<remove_cv_t<T>>)
WARPLENS_TRAIT(is_array, warplens_is_array<T>)
WARPLENS_TRAIT(is_reference, warplens_is_reference<T>)
WARPLENS_TRAIT(is_floating_point, is_one_of_v<remove_cv_t<T>, float, double>)
WARPLENS_TRAIT(is_integral, is_one_of_v<remove_cv_t<T>, bool, char, signed char, unsigned char, short,
                                        unsigned short, int, unsigned, long, unsigned long, long long,
                                        unsigned long long, wchar_t, char16_t, char32_t>)
WARPLENS_TRAIT(is_arithmetic, is_integral<T>::value || is_floating_point<T>::value)
WARPLENS_TRAIT(is_enum, __is_enum(T))
WARPLENS_TRAIT(is_class, __is_class(T))
WARPLENS_TRAIT(is_union, __is_union(T))
WARPLENS_TRAIT(is_empty, __is_empty(T))
WARPLENS_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
#undef WARPLENS_TRAIT
template <class A, class B> struct is_base_of : integral_constant<bool, __is_base_of(A, B)> {};
template <class A, class B> inline constexpr bool is_base_of_v = is_base_of<A, B>::value;
template <class T, bool = is_arithmetic<T>::value> struct is_signed : integral_constant<bool, (static_cast<T>(-1) < static_cast<T>(0))> {};
template <class T> struct is_signed<T, false> : false_type {};
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> struct is_unsigned : integral_constant<bool, is_arithmetic<T>::value && !is_signed<T>::value> {};
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;

template <class T> struct negation : bool_constant<!bool(T::value)> {};
template <class... T> struct conjunction : bool_constant<(bool(T::value) && ...)> {};
template <class... T> struct disjunction : bool_constant<(bool(T::value) || ...)> {};
template <class T> inline constexpr bool negation_v = negation<T>::value;
template <class... T> inline constexpr bool conjunction_v = conjunction<T...>::value;
template <class... T> inline constexpr bool disjunction_v = disjunction<T...>::value;

template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> struct make_unsigned;
template <class T> struct make_signed;
#define WARPLENS_SIGNS(T, S, U)                               \
  template <> struct make_unsigned<T> { typedef U type; };    \
  template <> struct make_signed<T> { typedef S type; };
#define WARPLENS_BOTH_SIGNS(T) WARPLENS_SIGNS(signed T, signed T, unsigned T) WARPLENS_SIGNS(unsigned T, signed T, unsigned T)
WARPLENS_SIGNS(char, signed char, unsigned char)
WARPLENS_BOTH_SIGNS(char)
WARPLENS_BOTH_SIGNS(short)
WARPLENS_BOTH_SIGNS(int)
WARPLENS_BOTH_SIGNS(long)
WARPLENS_BOTH_SIGNS(long long)
#undef WARPLENS_BOTH_SIGNS
#undef WARPLENS_SIGNS
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;

template <class T> WARPLENS_HD T&& declval() noexcept;
// An array decays to a pointer; a function is left as it is.
template <class T> struct decay {
  typedef remove_reference_t<T> bare;
  typedef conditional_t<is_array<bare>::value, remove_extent_t<bare>*, remove_cv_t<bare>> type;
};
template <class T> using decay_t = typename decay<T>::type;
template <class... T> struct common_type;
template <class T> struct common_type<T> : decay<T> {};
template <class A, class B> struct common_type<A, B> {
  typedef decay_t<decltype(false ? declval<A>() : declval<B>())> type;
};
template <class A, class B, class C, class... Others>
struct common_type<A, B, C, Others...> : common_type<typename common_type<A, B>::type, C, Others...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;

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

template <class T> WARPLENS_HD constexpr const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
template <class T, class U = T> WARPLENS_HD constexpr T exchange(T& place, U&& value) {
  T before = static_cast<T&&>(place);
  place = static_cast<U&&>(value);
  return before;
}
template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first;
  B second;
};
template <class A, class B> WARPLENS_HD constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
template <class T, size_t n> struct array {
  typedef T value_type;
  T elements[n > 0 ? n : 1];
  WARPLENS_HD constexpr T& operator[](size_t i) { return elements[i]; }
  WARPLENS_HD constexpr const T& operator[](size_t i) const { return elements[i]; }
  WARPLENS_HD constexpr T* data() { return elements; }
  WARPLENS_HD constexpr const T* data() const { return elements; }
  WARPLENS_HD constexpr T* begin() { return elements; }
  WARPLENS_HD constexpr const T* begin() const { return elements; }
  WARPLENS_HD constexpr T* end() { return elements + n; }
  WARPLENS_HD constexpr const T* end() const { return elements + n; }
  WARPLENS_HD constexpr T& front() { return elements[0]; }
  WARPLENS_HD constexpr const T& front() const { return elements[0]; }
  WARPLENS_HD constexpr T& back() { return elements[n - 1]; }
  WARPLENS_HD constexpr const T& back() const { return elements[n - 1]; }
  WARPLENS_HD static constexpr size_t size() { return n; }
  WARPLENS_HD static constexpr bool empty() { return n == 0; }
  WARPLENS_HD constexpr void fill(const T& v) {
    for (T& element : elements) element = v;
  }
};

template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define WARPLENS_LIMITS(T, low, high, tiny)                                \
  template <> struct numeric_limits<T> {                                   \
    static constexpr bool is_specialized = true, is_integer = true;        \
    static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);                        \
    static constexpr int digits = int(sizeof(T)) * 8 - is_signed;          \
    WARPLENS_HD static constexpr T lowest() { return low; }                \
    WARPLENS_HD static constexpr T max() { return high; }                  \
    WARPLENS_HD static constexpr T min() { return tiny; }                  \
  };
WARPLENS_LIMITS(char, SCHAR_MIN, SCHAR_MAX, SCHAR_MIN)
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
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = FLT_MANT_DIG, max_exponent = FLT_MAX_EXP, min_exponent = FLT_MIN_EXP;
  WARPLENS_HD static constexpr float lowest() { return -FLT_MAX; }
  WARPLENS_HD static constexpr float max() { return FLT_MAX; }
  WARPLENS_HD static constexpr float min() { return FLT_MIN; }
  WARPLENS_HD static constexpr float epsilon() { return FLT_EPSILON; }
  WARPLENS_HD static float infinity() { return WARPLENS_INF_F; }
  WARPLENS_HD static float quiet_NaN() { return (float)WARPLENS_NAN_F; }
};
template <> struct numeric_limits<double> {
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
  static constexpr int digits = DBL_MANT_DIG, max_exponent = DBL_MAX_EXP, min_exponent = DBL_MIN_EXP;
  WARPLENS_HD static constexpr double lowest() { return -DBL_MAX; }
  WARPLENS_HD static constexpr double max() { return DBL_MAX; }
  WARPLENS_HD static constexpr double min() { return DBL_MIN; }
  WARPLENS_HD static constexpr double epsilon() { return DBL_EPSILON; }
  WARPLENS_HD static double infinity() { return WARPLENS_INF; }
  WARPLENS_HD static double quiet_NaN() { return (double)WARPLENS_NAN_F; }
};
}  // namespace std
