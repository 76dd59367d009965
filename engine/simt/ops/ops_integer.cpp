// Integer addition, difference, division, absolute value, minimum, maximum and the packed 16-bit forms.
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

// Signed overflow wraps on the machine, so sums are taken in unsigned arithmetic.
template <typename T>
using Unsigned = std::make_unsigned_t<T>;

constexpr auto kAdd = []<typename T>(T a, T b) { return static_cast<T>(a + b); };
constexpr auto kSubtract = []<typename T>(T a, T b) { return static_cast<T>(a - b); };
constexpr auto kNegate = []<typename T>(T a) { return static_cast<T>(Unsigned<T>{0} - Unsigned<T>(a)); };
constexpr auto kAbsolute = []<typename T>(T a) { return a < 0 ? kNegate(a) : a; };
constexpr auto kMinimum = []<typename T>(T a, T b) { return a < b ? a : b; };
constexpr auto kMaximum = []<typename T>(T a, T b) { return a > b ? a : b; };
constexpr auto kMinimumRelu = []<typename T>(T a, T b) { return kMaximum(kMinimum(a, b), T{0}); };
constexpr auto kMaximumRelu = []<typename T>(T a, T b) { return kMaximum(kMaximum(a, b), T{0}); };

constexpr auto kClamp32 = [](s64 x) {
  constexpr s64 low = std::numeric_limits<s32>::min(), high = std::numeric_limits<s32>::max();
  return static_cast<s32>(x < low ? low : x > high ? high : x);
};
constexpr auto kAddSaturated = [](s32 a, s32 b) { return kClamp32(s64{a} + b); };
constexpr auto kSubtractSaturated = [](s32 a, s32 b) { return kClamp32(s64{a} - b); };

// |a - b| as an unsigned difference of the larger and the smaller, plus c.
constexpr auto kSumAbsolute = []<typename T>(T a, T b, T c) {
  using U = Unsigned<T>;
  const U difference = static_cast<U>(a > b ? U(a) - U(b) : U(b) - U(a));
  return static_cast<T>(U(c) + difference);
};

// The machine divides by zero to all ones, and the smallest number by -1 to itself.
constexpr auto kDivide = []<typename T>(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return kNegate(a);
  return static_cast<T>(a / b);
};
constexpr auto kRemainder = []<typename T>(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T{0};
  return static_cast<T>(a % b);
};

// Quotients of 32-bit numbers are exact in double precision and vectorise there, as integer division does
// not. 2^52 in front of an integer's bits makes it a double, and adding it back leaves the integer's bits.
inline double wide(u32 x) {
  return std::bit_cast<double>(u64{0x4330000000000000} | x) - 0x1p52;
}
inline double wide(s32 x) {
  return static_cast<double>(x);
}
constexpr auto kDivide32 = []<typename T>(T a, T b) {
  const double quotient = std::trunc(wide(a) / wide(b == 0 ? T{1} : b));
  const auto bits = static_cast<u32>(std::bit_cast<u64>(quotient + 0x1.8p52));
  return static_cast<T>(b == 0 ? ~u32{0} : bits);
};
constexpr auto kRemainder32 = []<typename T>(T a, T b) {
  const u32 left = u32(a) - u32(kDivide32(a, b)) * u32(b);
  return static_cast<T>(b == 0 ? ~u32{0} : left);
};

// All lanes divide by one number, as in i % n: a product with its reciprocal takes the division's place. Half
// a unit more in front keeps the product away from the whole numbers by 1 / (2 b), which is far more than the
// 2^-20 / b that rounding can change.
template <typename T>
inline double with_half(T a) {
  return wide(a) + (a < 0 ? -0.5 : 0.5);
}
template <bool kFull, typename T, bool kRemainder>
void divide_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* const a = row<T>(warp, op.a);
  const T* const b = row<T>(warp, op.b);
  const T by = b[0];
  u32 differs = 0;
  WARPLENS_FOR_LANES(l) {
    differs |= u32(b[l]) ^ u32(by);
  }
  if (differs != 0 || by == 0) {
    constexpr auto divide = [](T x, T y) { return kRemainder ? kRemainder32(x, y) : kDivide32(x, y); };
    return binary_handler<kFull, T, T, T, divide>(op, warp, mask);
  }
  const double reciprocal = 1.0 / wide(by);
  write_lanes(row<T>(warp, op.d), mask, kFull, [a, by, reciprocal](unsigned l) {
    const double quotient = std::trunc(with_half(a[l]) * reciprocal);
    const auto bits = static_cast<u32>(std::bit_cast<u64>(quotient + 0x1.8p52));
    return static_cast<T>(kRemainder ? u32(a[l]) - bits * u32(by) : bits);
  });
}
template <typename T, bool kRemainder>
constexpr Handlers divide() {
  return {&divide_handler<true, T, kRemainder>, &divide_handler<false, T, kRemainder>};
}

template <typename T>
void add_sums(FormTable& table) {
  using U = Unsigned<T>;
  const std::string type = type_suffix<T>();
  table.add("add" + type, binary<U, U, U, kAdd>(), TypeOf<T>::value, {TypeOf<T>::value, TypeOf<T>::value});
  table.add("sub" + type, binary<U, U, U, kSubtract>(), TypeOf<T>::value,
            {TypeOf<T>::value, TypeOf<T>::value});
  add_binary<T, T, T, kMinimum>(table, "min" + type);
  add_binary<T, T, T, kMaximum>(table, "max" + type);
  if constexpr (sizeof(T) == 4) {
    constexpr ptx::Type t = TypeOf<T>::value;
    table.add("div" + type, divide<T, false>(), t, {t, t});
    table.add("rem" + type, divide<T, true>(), t, {t, t});
  } else {
    add_binary<T, T, T, kDivide>(table, "div" + type);
    add_binary<T, T, T, kRemainder>(table, "rem" + type);
  }
  add_ternary<T, T, T, T, kSumAbsolute>(table, "sad" + type);
  if constexpr (std::is_signed_v<T>) {
    add_unary<T, T, kNegate>(table, "neg" + type);
    add_unary<T, T, kAbsolute>(table, "abs" + type);
  }
}

// Two 16-bit numbers in a 32-bit register.
template <typename T, auto F>
constexpr auto kPacked = [](u32 a, u32 b) {
  const u32 low = static_cast<u16>(F(static_cast<T>(a), static_cast<T>(b)));
  const u32 high = static_cast<u16>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | high << 16;
};

template <typename T, auto F>
void add_packed(FormTable& table, const std::string& text) {
  table.add(text, binary<u32, u32, u32, kPacked<T, F>>(), Type::U32, {Type::U32, Type::U32});
}

}  // namespace

void add_integer_forms(FormTable& table) {
  add_sums<u16>(table);
  add_sums<s16>(table);
  add_sums<u32>(table);
  add_sums<s32>(table);
  add_sums<u64>(table);
  add_sums<s64>(table);
  add_binary<s32, s32, s32, kAddSaturated>(table, "add.sat.s32");
  add_binary<s32, s32, s32, kSubtractSaturated>(table, "sub.sat.s32");
  add_binary<s32, s32, s32, kMinimumRelu>(table, "min.relu.s32");
  add_binary<s32, s32, s32, kMaximumRelu>(table, "max.relu.s32");
  add_packed<u16, kAdd>(table, "add.u16x2");
  add_packed<s16, kAdd>(table, "add.s16x2");
  add_packed<u16, kMinimum>(table, "min.u16x2");
  add_packed<s16, kMinimum>(table, "min.s16x2");
  add_packed<s16, kMinimumRelu>(table, "min.relu.s16x2");
  add_packed<s16, kMinimumRelu>(table, "min.s16x2.relu");
  add_packed<u16, kMaximum>(table, "max.u16x2");
  add_packed<s16, kMaximum>(table, "max.s16x2");
  add_packed<s16, kMaximumRelu>(table, "max.relu.s16x2");
  add_packed<s16, kMaximumRelu>(table, "max.s16x2.relu");
}

}  // namespace warplens::simt
