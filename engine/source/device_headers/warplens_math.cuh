// Mathematical functions. What the hardware has (square root, fused multiply-add, rounding, min and max) is
// used as it is. The rest is computed in double precision from series and rounded once: slower than NVIDIA's
// library but within one unit in the last place for float, and free of tables.
#pragma once

WARPLENS_FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPLENS_FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
WARPLENS_FN float fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPLENS_FN float __fmaf_rn(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPLENS_FN float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
WARPLENS_FN float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
WARPLENS_FN float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
WARPLENS_FN double __dadd_rn(double a, double b) { return __nvvm_add_rn_d(a, b); }
WARPLENS_FN double __dmul_rn(double a, double b) { return __nvvm_mul_rn_d(a, b); }
WARPLENS_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WARPLENS_FN float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
WARPLENS_FN float __frcp_rn(float a) { return __nvvm_rcp_rn_f(a); }

WARPLENS_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
WARPLENS_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
WARPLENS_FN float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
WARPLENS_FN float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
WARPLENS_FN float __frsqrt_rn(float a) { return __nvvm_rsqrt_approx_f(a); }
WARPLENS_FN double rsqrt(double a) { return 1.0 / sqrt(a); }
WARPLENS_FN float fabsf(float a) { return __nvvm_fabs_f(a); }
WARPLENS_FN double fabs(double a) { return __nvvm_fabs_d(a); }
WARPLENS_FN float floorf(float a) { return __nvvm_floor_f(a); }
WARPLENS_FN double floor(double a) { return __nvvm_floor_d(a); }
WARPLENS_FN float ceilf(float a) { return __nvvm_ceil_f(a); }
WARPLENS_FN double ceil(double a) { return __nvvm_ceil_d(a); }
WARPLENS_FN float truncf(float a) { return __nvvm_trunc_f(a); }
WARPLENS_FN double trunc(double a) { return __nvvm_trunc_d(a); }
WARPLENS_FN float rintf(float a) { return __builtin_rintf(a); }
WARPLENS_FN double rint(double a) { return __builtin_rint(a); }
WARPLENS_FN float nearbyintf(float a) { return rintf(a); }
WARPLENS_FN float roundf(float a) { return truncf(a + (a < 0.0f ? -0.49999997f : 0.49999997f)); }
WARPLENS_FN double round(double a) { return trunc(a + (a < 0.0 ? -0.49999999999999994 : 0.49999999999999994)); }
WARPLENS_FN float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
WARPLENS_FN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
WARPLENS_FN double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
WARPLENS_FN double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
WARPLENS_FN float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
WARPLENS_FN double copysign(double a, double b) { return __builtin_copysign(a, b); }
WARPLENS_FN float __saturatef(float a) { return __nvvm_saturate_f(a); }

// Fast, approximate units of the hardware.
WARPLENS_FN float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.44269504f); }
WARPLENS_FN float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.69314718f; }
WARPLENS_FN float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
WARPLENS_FN float __log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.30103f; }
WARPLENS_FN float __exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.32192809f); }
WARPLENS_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
WARPLENS_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
WARPLENS_FN float __tanf(float a) { return __sinf(a) / __cosf(a); }
WARPLENS_FN float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
WARPLENS_FN void __sincosf(float a, float* s, float* c) { *s = __sinf(a), *c = __cosf(a); }

WARPLENS_FN bool isnan(double a) { return a != a; }
WARPLENS_FN bool isnan(float a) { return a != a; }
WARPLENS_FN bool isinf(double a) { return fabs(a) == __builtin_huge_val(); }
WARPLENS_FN bool isinf(float a) { return fabsf(a) == __builtin_huge_valf(); }
WARPLENS_FN bool isfinite(double a) { return fabs(a) < __builtin_huge_val(); }
WARPLENS_FN bool isfinite(float a) { return fabsf(a) < __builtin_huge_valf(); }
WARPLENS_FN bool signbit(double a) { return __double_as_longlong(a) < 0; }

// 2^n for a whole n, also where the result is subnormal or overflows.
WARPLENS_FN double ldexp(double a, int n) {
  const int first = max(-1000, min(1000, n)), rest = max(-1000, min(1000, n - first));
  return a * __longlong_as_double((long long)(first + 1023) << 52) *
         __longlong_as_double((long long)(rest + 1023) << 52);
}
WARPLENS_FN float ldexpf(float a, int n) { return (float)ldexp((double)a, n); }
WARPLENS_FN float scalbnf(float a, int n) { return ldexpf(a, n); }

// e^a = 2^n e^r with |r| <= ln(2)/2, the Taylor series up to r^13.
WARPLENS_FN double exp(double a) {
  if (!(a < 709.8)) return a != a ? a : __builtin_huge_val();
  if (a < -745.2) return 0.0;
  const double n = rint(a * 1.4426950408889634);
  const double r = fma(n, -1.9082149292705877e-10, fma(n, -0.6931471803691238, a));
  double s = 1.6059043836821613e-10;
  s = fma(s, r, 2.08767569878681e-09), s = fma(s, r, 2.505210838544172e-08);
  s = fma(s, r, 2.755731922398589e-07), s = fma(s, r, 2.7557319223985893e-06);
  s = fma(s, r, 2.48015873015873e-05), s = fma(s, r, 0.0001984126984126984);
  s = fma(s, r, 0.001388888888888889), s = fma(s, r, 0.008333333333333333);
  s = fma(s, r, 0.041666666666666664), s = fma(s, r, 0.16666666666666666);
  s = fma(s, r, 0.5), s = fma(s, r, 1.0), s = fma(s, r, 1.0);
  return ldexp(s, (int)n);
}

// log(a) = n ln(2) + 2 atanh((m - 1) / (m + 1)) with sqrt(1/2) <= m < sqrt(2).
WARPLENS_FN double log(double a) {
  if (!(a > 0.0)) return a == 0.0 ? -__builtin_huge_val() : __builtin_nan("");
  if (a == __builtin_huge_val()) return a;
  double shift = 0.0;
  if (a < 2.2250738585072014e-308) a *= 18014398509481984.0, shift = -54.0;
  const long long bits = __double_as_longlong(a);
  long long exponent = ((bits >> 52) & 0x7ff) - 1023;
  double m = __longlong_as_double((bits & 0xfffffffffffffll) | 0x3ff0000000000000ll);
  if (m > 1.4142135623730951) m *= 0.5, ++exponent;
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double t = 1.0 / 21.0;
  t = fma(t, z, 1.0 / 19.0), t = fma(t, z, 1.0 / 17.0), t = fma(t, z, 1.0 / 15.0);
  t = fma(t, z, 1.0 / 13.0), t = fma(t, z, 1.0 / 11.0), t = fma(t, z, 1.0 / 9.0);
  t = fma(t, z, 1.0 / 7.0), t = fma(t, z, 1.0 / 5.0), t = fma(t, z, 1.0 / 3.0);
  const double n = (double)exponent + shift;
  return fma(n, 0.6931471805599453, 2.0 * fma(s * z, t, s));
}
WARPLENS_FN double log2(double a) { return log(a) * 1.4426950408889634; }
WARPLENS_FN double log10(double a) { return log(a) * 0.4342944819032518; }
WARPLENS_FN double log1p(double a) { return fabs(a) < 1e-5 ? a - 0.5 * a * a + a * a * a / 3.0 : log(1.0 + a); }
WARPLENS_FN double exp2(double a) { return exp(a * 0.6931471805599453); }
WARPLENS_FN double exp10(double a) { return exp(a * 2.302585092994046); }
WARPLENS_FN double expm1(double a) {
  return fabs(a) < 1e-5 ? a + 0.5 * a * a + a * a * a / 6.0 : exp(a) - 1.0;
}

WARPLENS_FN double pow(double a, double b) {
  if (b == 0.0 || a == 1.0) return 1.0;
  const bool whole = rint(b) == b, odd = whole && fabs(b) < 9007199254740992.0 && ((long long)b & 1) != 0;
  if (a == 0.0) {
    const double zero = odd ? a : 0.0;
    return b > 0.0 ? zero : 1.0 / zero;
  }
  if (a < 0.0 && !whole) return __builtin_nan("");
  const double magnitude = exp(b * log(fabs(a)));
  return a < 0.0 && odd ? -magnitude : magnitude;
}
WARPLENS_FN double pow(double a, int b) { return pow(a, (double)b); }
WARPLENS_FN double cbrt(double a) { return a == 0.0 ? a : copysign(exp(log(fabs(a)) / 3.0), a); }

// sin and cos on |r| <= pi/4; the quarter turn q says which and with which sign.
WARPLENS_FN double warplens_quarter(double a, int& q) {
  const double n = rint(a * 0.6366197723675814);
  q = (int)((long long)n & 3);
  return fma(n, -6.123233995736766e-17, fma(n, -1.5707963267948966, a));
}
WARPLENS_FN double warplens_sin_series(double r) {
  const double z = r * r;
  double s = -7.647163731819816e-13;
  s = fma(s, z, 1.6059043836821613e-10), s = fma(s, z, -2.505210838544172e-08);
  s = fma(s, z, 2.7557319223985893e-06), s = fma(s, z, -0.0001984126984126984);
  s = fma(s, z, 0.008333333333333333), s = fma(s, z, -0.16666666666666666);
  return fma(s * z, r, r);
}
WARPLENS_FN double warplens_cos_series(double r) {
  const double z = r * r;
  double c = 4.779477332387385e-14;
  c = fma(c, z, -1.1470745597729725e-11), c = fma(c, z, 2.08767569878681e-09);
  c = fma(c, z, -2.755731922398589e-07), c = fma(c, z, 2.48015873015873e-05);
  c = fma(c, z, -0.001388888888888889), c = fma(c, z, 0.041666666666666664);
  c = fma(c, z, -0.5);
  return fma(c, z, 1.0);
}
WARPLENS_FN double sin(double a) {
  int q;
  const double r = warplens_quarter(a, q), v = (q & 1) ? warplens_cos_series(r) : warplens_sin_series(r);
  return (q & 2) ? -v : v;
}
WARPLENS_FN double cos(double a) {
  int q;
  const double r = warplens_quarter(a, q), v = (q & 1) ? warplens_sin_series(r) : warplens_cos_series(r);
  return q == 1 || q == 2 ? -v : v;
}
WARPLENS_FN double tan(double a) { return sin(a) / cos(a); }
WARPLENS_FN double tanh(double a) {
  if (fabs(a) > 20.0) return copysign(1.0, a);
  if (fabs(a) < 1e-4) return a - a * a * a / 3.0;
  const double e = exp(2.0 * a);
  return (e - 1.0) / (e + 1.0);
}
WARPLENS_FN double sinh(double a) {
  return fabs(a) < 1e-4 ? a + a * a * a / 6.0 : 0.5 * (exp(a) - exp(-a));
}
WARPLENS_FN double cosh(double a) { return 0.5 * (exp(a) + exp(-a)); }

// atan by halving the angle twice, atan(a) = 2 atan(a / (1 + sqrt(1 + a a))), then the series.
WARPLENS_FN double atan(double a) {
  const bool big = fabs(a) > 1.0;
  double x = big ? 1.0 / a : a;
  x = x / (1.0 + sqrt(fma(x, x, 1.0)));
  x = x / (1.0 + sqrt(fma(x, x, 1.0)));
  const double z = x * x;
  double t = -1.0 / 19.0;
  t = fma(t, z, 1.0 / 17.0), t = fma(t, z, -1.0 / 15.0), t = fma(t, z, 1.0 / 13.0);
  t = fma(t, z, -1.0 / 11.0), t = fma(t, z, 1.0 / 9.0), t = fma(t, z, -1.0 / 7.0);
  t = fma(t, z, 1.0 / 5.0), t = fma(t, z, -1.0 / 3.0);
  const double v = 4.0 * fma(x * z, t, x);
  return big ? copysign(1.5707963267948966, a) - v : v;
}
WARPLENS_FN double atan2(double y, double x) {
  if (x == 0.0) return y == 0.0 ? 0.0 : copysign(1.5707963267948966, y);
  const double v = atan(y / x);
  return x > 0.0 ? v : v + copysign(3.141592653589793, y);
}
WARPLENS_FN double asin(double a) { return atan2(a, sqrt((1.0 - a) * (1.0 + a))); }
WARPLENS_FN double acos(double a) { return atan2(sqrt((1.0 - a) * (1.0 + a)), a); }

// fmod by long division: every subtraction is exact, since step <= x < 2 step.
WARPLENS_FN double fmod(double a, double b) {
  double x = fabs(a);
  const double y = fabs(b);
  if (!(x < __builtin_huge_val()) || !(y > 0.0)) return __builtin_nan("");
  while (x >= y) {
    double step = y;
    while (step <= x * 0.5) step += step;
    x -= step;
  }
  return copysign(x, a);
}
// The series of erf up to 3, and beyond it the first terms of the asymptotic expansion: exact to float only.
WARPLENS_FN double erf(double a) {
  const double x = fabs(a);
  if (x > 6.0) return copysign(1.0, a);
  double term = x, sum = x;
  for (int n = 1; n < 120 && fabs(term) > 1e-17 * sum; ++n) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  if (x <= 3.0) return copysign(1.1283791670955126 * sum, a);
  const double z = 1.0 / (x * x);
  return copysign(1.0 - exp(-x * x) / (x * 1.7724538509055159) * (1.0 - 0.5 * z + 0.75 * z * z), a);
}
WARPLENS_FN double erfc(double a) { return 1.0 - erf(a); }
WARPLENS_FN double hypot(double a, double b) { return sqrt(a * a + b * b); }

#define WARPLENS_FLOAT1(name)                                                                                 \
  WARPLENS_FN float name##f(float a) { return (float)name((double)a); }                                       \
  WARPLENS_FN float name(float a) { return name##f(a); }                                                      \
  WARPLENS_FN double name(int a) { return name((double)a); }
#define WARPLENS_FLOAT2(name)                                                                                 \
  WARPLENS_FN float name##f(float a, float b) { return (float)name((double)a, (double)b); }                   \
  WARPLENS_FN float name(float a, float b) { return name##f(a, b); }
WARPLENS_FLOAT1(exp) WARPLENS_FLOAT1(log) WARPLENS_FLOAT1(log2) WARPLENS_FLOAT1(log10) WARPLENS_FLOAT1(log1p)
WARPLENS_FLOAT1(exp2) WARPLENS_FLOAT1(exp10) WARPLENS_FLOAT1(expm1) WARPLENS_FLOAT1(cbrt) WARPLENS_FLOAT1(sin)
WARPLENS_FLOAT1(cos) WARPLENS_FLOAT1(tan) WARPLENS_FLOAT1(tanh) WARPLENS_FLOAT1(sinh) WARPLENS_FLOAT1(cosh)
WARPLENS_FLOAT1(atan) WARPLENS_FLOAT1(asin) WARPLENS_FLOAT1(acos) WARPLENS_FLOAT1(erf) WARPLENS_FLOAT1(erfc)
WARPLENS_FLOAT2(pow) WARPLENS_FLOAT2(atan2) WARPLENS_FLOAT2(fmod) WARPLENS_FLOAT2(hypot)
#undef WARPLENS_FLOAT1
#undef WARPLENS_FLOAT2
WARPLENS_FN float pow(float a, int b) { return powf(a, (float)b); }
WARPLENS_FN void sincosf(float a, float* s, float* c) { *s = sinf(a), *c = cosf(a); }
WARPLENS_FN void sincos(double a, double* s, double* c) { *s = sin(a), *c = cos(a); }

// What C++ overloads on float.
WARPLENS_FN float sqrt(float a) { return sqrtf(a); }
WARPLENS_FN double sqrt(int a) { return sqrt((double)a); }
WARPLENS_FN float rsqrt(float a) { return rsqrtf(a); }
WARPLENS_FN float fabs(float a) { return fabsf(a); }
WARPLENS_FN float abs(float a) { return fabsf(a); }
WARPLENS_FN double abs(double a) { return fabs(a); }
WARPLENS_FN float floor(float a) { return floorf(a); }
WARPLENS_FN float ceil(float a) { return ceilf(a); }
WARPLENS_FN float trunc(float a) { return truncf(a); }
WARPLENS_FN float rint(float a) { return rintf(a); }
WARPLENS_FN float round(float a) { return roundf(a); }
WARPLENS_FN float fmin(float a, float b) { return fminf(a, b); }
WARPLENS_FN float fmax(float a, float b) { return fmaxf(a, b); }
WARPLENS_FN float min(float a, float b) { return fminf(a, b); }
WARPLENS_FN float max(float a, float b) { return fmaxf(a, b); }
WARPLENS_FN double min(double a, double b) { return fmin(a, b); }
WARPLENS_FN double max(double a, double b) { return fmax(a, b); }

namespace std {
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
}  // namespace std

// sin and cos of pi a: the period is taken off exactly, before anything is multiplied.
WARPLENS_FN float sinpif(float a) {
  const float r = a - 2.0f * rintf(0.5f * a);  // in [-1, 1]
  const float q = fabsf(r) > 0.5f ? copysignf(1.0f, r) - r : r;
  return sinf(3.14159265f * q);
}
WARPLENS_FN float cospif(float a) { return sinpif(0.5f - fabsf(a - 2.0f * rintf(0.5f * a))); }
WARPLENS_FN void sincospif(float a, float* s, float* c) { *s = sinpif(a), *c = cospif(a); }
WARPLENS_FN double sinpi(double a) {
  const double r = a - 2.0 * rint(0.5 * a);
  const double q = fabs(r) > 0.5 ? copysign(1.0, r) - r : r;
  return sin(3.14159265358979324 * q);
}
WARPLENS_FN double cospi(double a) { return sinpi(0.5 - fabs(a - 2.0 * rint(0.5 * a))); }
WARPLENS_FN void sincospi(double a, double* s, double* c) { *s = sinpi(a), *c = cospi(a); }
WARPLENS_FN float normcdff(float a) { return 0.5f * erfcf(-0.70710678f * a); }
WARPLENS_FN double normcdf(double a) { return 0.5 * erfc(-0.707106781186547524 * a); }
