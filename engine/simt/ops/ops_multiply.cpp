// Integer products: low and high halves, wide, multiply-add, 24-bit forms, and dot products of packed bytes.
#include <limits>
#include <type_traits>

#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

// Twice as many bits, and the same sign.
template <typename T>
constexpr auto twice() {
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 2) return std::conditional_t<kSigned, s32, u32>();
  if constexpr (sizeof(T) == 4) return std::conditional_t<kSigned, s64, u64>();
  if constexpr (sizeof(T) == 8) return std::conditional_t<kSigned, s128, u128>();
}
template <typename T>
using Wide = decltype(twice<T>());

constexpr auto kProduct = []<typename T>(T a, T b) { return static_cast<Wide<T>>(Wide<T>(a) * Wide<T>(b)); };
// The low half does not depend on signs; 16-bit operands would be promoted to int, where they could overflow.
constexpr auto kLow = []<typename T>(T a, T b) { return static_cast<T>(u64{a} * u64{b}); };
constexpr auto kLow32 = [](u32 a, u32 b) { return a * b; };
constexpr auto kHigh = []<typename T>(T a, T b) { return static_cast<T>(kProduct(a, b) >> 8 * sizeof(T)); };
constexpr auto kLowAdd = []<typename T>(T a, T b, T c) { return static_cast<T>(u64{a} * u64{b} + c); };
constexpr auto kLowAdd32 = [](u32 a, u32 b, u32 c) { return a * b + c; };
constexpr auto kHighAdd = []<typename T>(T a, T b, T c) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(U(kHigh(a, b)) + U(c)));
};
constexpr auto kWideAdd = []<typename T>(T a, T b, Wide<T> c) {
  using U = std::make_unsigned_t<Wide<T>>;
  return static_cast<Wide<T>>(U(kProduct(a, b)) + U(c));
};
constexpr auto kHighAddSaturated = [](s32 a, s32 b, s32 c) {
  constexpr s64 low = std::numeric_limits<s32>::min(), high = std::numeric_limits<s32>::max();
  const s64 sum = s64{kHigh(a, b)} + c;
  return static_cast<s32>(sum < low ? low : sum > high ? high : sum);
};

// 32 x 32 bits to 64, the commonest step of an address: compilers do not find the instruction for it.
// The destination may overlap the narrower operands, so results wait in an array.
#if defined(__AVX2__)
template <bool kFull, bool kSigned, bool kAdds>
void wide_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u32* a = row<u32>(warp, op.a);
  const u32* b = row<u32>(warp, op.b);
  alignas(64) u64 result[kWarpSize];
  for (unsigned l = 0; l < unsigned(kWarpSize); l += 4) {
    // Zeros above the operands do no harm: the products read the low halves only.
    const __m256i x = _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(a + l)));
    const __m256i y = _mm256_cvtepu32_epi64(_mm_load_si128(reinterpret_cast<const __m128i*>(b + l)));
    __m256i product = kSigned ? _mm256_mul_epi32(x, y) : _mm256_mul_epu32(x, y);
    if (kAdds)
      product = _mm256_add_epi64(
          product, _mm256_load_si256(reinterpret_cast<const __m256i*>(row<u64>(warp, op.c) + l)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(result + l), product);
  }
  write_lanes(row<u64>(warp, op.d), mask, kFull, [&](unsigned l) { return result[l]; });
}
template <bool kSigned, bool kAdds>
constexpr Handlers wide() {
  return {&wide_handler<true, kSigned, kAdds>, &wide_handler<false, kSigned, kAdds>};
}
#endif

// The low 24 bits of an operand, as a number.
template <typename T>
constexpr auto kCut24 = [](T a) {
  if constexpr (std::is_signed_v<T>)
    return static_cast<s64>(static_cast<s32>(u32(a) << 8) >> 8);
  else
    return static_cast<u64>(a & 0xffffffu);
};
// mul24 takes bits 0-31 (lo) or 16-47 (hi) of the 48-bit product.
template <int kShift>
constexpr auto kProduct24 =
    []<typename T>(T a, T b) { return static_cast<T>((kCut24<T>(a) * kCut24<T>(b)) >> kShift); };
template <int kShift>
constexpr auto kProductAdd24 =
    []<typename T>(T a, T b, T c) { return static_cast<T>(u32(kProduct24<kShift>(a, b)) + u32(c)); };
constexpr auto kProductAddSaturated24 = [](s32 a, s32 b, s32 c) {
  constexpr s64 low = std::numeric_limits<s32>::min(), high = std::numeric_limits<s32>::max();
  const s64 sum = s64{kProduct24<16>(a, b)} + c;
  return static_cast<s32>(sum < low ? low : sum > high ? high : sum);
};

// Bytes of a and of b (sign-extended as A and B say), four products added to c.
template <typename A, typename B>
constexpr auto kDot4 = [](u32 a, u32 b, u32 c) {
  s32 sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<A>(a >> 8 * i) * static_cast<B>(b >> 8 * i);
  return c + static_cast<u32>(sum);
};
// Two 16-bit halves of a, and the low or high two bytes of b.
template <typename A, typename B, int kShift>
constexpr auto kDot2 = [](u32 a, u32 b, u32 c) {
  const s64 sum = s64{static_cast<A>(a)} * static_cast<B>(b >> kShift) +
                  s64{static_cast<A>(a >> 16)} * static_cast<B>(b >> (kShift + 8));
  return c + static_cast<u32>(sum);
};

template <typename T>
void add_products(FormTable& table) {
  using U = std::make_unsigned_t<T>;
  const std::string type = type_suffix<T>();
  constexpr Type t = TypeOf<T>::value;
  if constexpr (sizeof(T) == 4) {
    table.add("mul.lo" + type, binary<U, U, U, kLow32>(), t, {t, t});
    table.add("mad.lo" + type, ternary<U, U, U, U, kLowAdd32>(), t, {t, t, t});
  } else {
    table.add("mul.lo" + type, binary<U, U, U, kLow>(), t, {t, t});
    table.add("mad.lo" + type, ternary<U, U, U, U, kLowAdd>(), t, {t, t, t});
  }
  add_binary<T, T, T, kHigh>(table, "mul.hi" + type);
  add_ternary<T, T, T, T, kHighAdd>(table, "mad.hi" + type);
  if constexpr (sizeof(T) < 8) {
    add_binary<Wide<T>, T, T, kProduct>(table, "mul.wide" + type);
    add_ternary<Wide<T>, T, T, Wide<T>, kWideAdd>(table, "mad.wide" + type);
  }
}

template <typename T>
void add_24(FormTable& table) {
  const std::string type = type_suffix<T>();
  add_binary<T, T, T, kProduct24<0>>(table, "mul24.lo" + type);
  add_binary<T, T, T, kProduct24<16>>(table, "mul24.hi" + type);
  add_ternary<T, T, T, T, kProductAdd24<0>>(table, "mad24.lo" + type);
  add_ternary<T, T, T, T, kProductAdd24<16>>(table, "mad24.hi" + type);
}

template <auto F>
void add_dot(FormTable& table, const std::string& text) {
  table.add(text, ternary<u32, u32, u32, u32, F>(), Type::U32, {Type::U32, Type::U32, Type::U32});
}

template <typename A8, typename B8, typename A16>
void add_dots(FormTable& table, const std::string& types) {
  add_dot<kDot4<A8, B8>>(table, "dp4a" + types);
  add_dot<kDot2<A16, B8, 0>>(table, "dp2a.lo" + types);
  add_dot<kDot2<A16, B8, 16>>(table, "dp2a.hi" + types);
}

}  // namespace

void add_multiply_forms(FormTable& table) {
  add_products<u16>(table);
  add_products<s16>(table);
  add_products<u32>(table);
  add_products<s32>(table);
  add_products<u64>(table);
  add_products<s64>(table);
#if defined(__AVX2__)
  table.add("mul.wide.s32", wide<true, false>(), Type::S64, {Type::S32, Type::S32});
  table.add("mul.wide.u32", wide<false, false>(), Type::U64, {Type::U32, Type::U32});
  table.add("mad.wide.s32", wide<true, true>(), Type::S64, {Type::S32, Type::S32, Type::S64});
  table.add("mad.wide.u32", wide<false, true>(), Type::U64, {Type::U32, Type::U32, Type::U64});
#endif
  add_ternary<s32, s32, s32, s32, kHighAddSaturated>(table, "mad.hi.sat.s32");
  add_24<u32>(table);
  add_24<s32>(table);
  add_ternary<s32, s32, s32, s32, kProductAddSaturated24>(table, "mad24.hi.sat.s32");
  add_dots<u8, u8, u16>(table, ".u32.u32");
  add_dots<u8, s8, u16>(table, ".u32.s32");
  add_dots<s8, u8, s16>(table, ".s32.u32");
  add_dots<s8, s8, s16>(table, ".s32.s32");
}

}  // namespace warplens::simt
