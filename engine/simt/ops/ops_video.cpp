// The packed video instructions (vadd2, vabsdiff4, vset4 ...): two 16-bit or four 8-bit elements a register,
// with saturation, or with the elements' sum added to c. Element selections and masks are not decoded.
#include <algorithm>
#include <limits>

#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

constexpr auto kAdd = [](s32 a, s32 b) { return a + b; };
constexpr auto kSubtract = [](s32 a, s32 b) { return a - b; };
constexpr auto kAverage = [](s32 a, s32 b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; };
constexpr auto kDifference = [](s32 a, s32 b) { return a > b ? a - b : b - a; };
constexpr auto kLeast = [](s32 a, s32 b) { return a < b ? a : b; };
constexpr auto kGreatest = [](s32 a, s32 b) { return a > b ? a : b; };

constexpr auto kEqual = [](s32 a, s32 b) { return a == b ? 1 : 0; };
constexpr auto kDifferent = [](s32 a, s32 b) { return a != b ? 1 : 0; };
constexpr auto kLess = [](s32 a, s32 b) { return a < b ? 1 : 0; };
constexpr auto kAtMost = [](s32 a, s32 b) { return a <= b ? 1 : 0; };
constexpr auto kMore = [](s32 a, s32 b) { return a > b ? 1 : 0; };
constexpr auto kAtLeast = [](s32 a, s32 b) { return a >= b ? 1 : 0; };

enum class After : std::uint8_t { Keep, Saturate, Sum };

// D, A and B are the element types of the result and the operands.
template <typename D, typename A, typename B, auto F, After kAfter>
constexpr auto kPacked = [](u32 a, u32 b, u32 c) {
  constexpr int kBits = 8 * sizeof(A);
  using Unsigned = std::make_unsigned_t<D>;
  u32 packed = 0, sum = c;
  for (int i = 0; i < 32; i += kBits) {
    s32 value = F(static_cast<s32>(static_cast<A>(a >> i)), static_cast<s32>(static_cast<B>(b >> i)));
    if (kAfter == After::Saturate)
      value = std::clamp<s32>(value, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
    sum += static_cast<u32>(value);
    packed |= u32{static_cast<Unsigned>(value)} << i;
  }
  return kAfter == After::Sum ? sum : packed;
};

template <typename D, typename A, typename B, auto F>
void add_afters(FormTable& table, const std::string& text) {
  const std::vector<Type> sources(3, Type::U32);
  table.add(text, ternary<u32, u32, u32, u32, kPacked<D, A, B, F, After::Keep>>(), Type::U32, sources);
  table.add(text + ".sat", ternary<u32, u32, u32, u32, kPacked<D, A, B, F, After::Saturate>>(), Type::U32,
            sources);
  table.add(text + ".add", ternary<u32, u32, u32, u32, kPacked<D, A, B, F, After::Sum>>(), Type::U32,
            sources);
}

template <typename U, typename S, auto F>
void add_types(FormTable& table, const std::string& opcode) {
  const std::string stem = opcode + (sizeof(U) == 1 ? "4" : "2");
  add_afters<U, U, U, F>(table, stem + ".u32.u32.u32");
  add_afters<S, S, S, F>(table, stem + ".s32.s32.s32");
  add_afters<U, S, S, F>(table, stem + ".u32.s32.s32");
  add_afters<S, U, U, F>(table, stem + ".s32.u32.u32");
}

template <auto F>
void add_both(FormTable& table, const std::string& opcode) {
  add_types<u8, s8, F>(table, opcode);
  add_types<u16, s16, F>(table, opcode);
}

// The elements of a comparison are 1 where it holds, else 0.
template <typename A, typename B, auto F>
void add_comparison(FormTable& table, const std::string& text) {
  using Element = std::make_unsigned_t<A>;
  const std::vector<Type> sources(3, Type::U32);
  table.add(text, ternary<u32, u32, u32, u32, kPacked<Element, A, B, F, After::Keep>>(), Type::U32, sources);
  table.add(text + ".add", ternary<u32, u32, u32, u32, kPacked<Element, A, B, F, After::Sum>>(), Type::U32,
            sources);
}

template <typename A, typename B>
void add_comparisons(FormTable& table) {
  const std::string stem = std::string("vset") + (sizeof(A) == 1 ? "4" : "2") +
                           (std::is_signed_v<A> ? ".s32" : ".u32") + (std::is_signed_v<B> ? ".s32" : ".u32");
  add_comparison<A, B, kEqual>(table, stem + ".eq");
  add_comparison<A, B, kDifferent>(table, stem + ".ne");
  add_comparison<A, B, kLess>(table, stem + ".lt");
  add_comparison<A, B, kAtMost>(table, stem + ".le");
  add_comparison<A, B, kMore>(table, stem + ".gt");
  add_comparison<A, B, kAtLeast>(table, stem + ".ge");
}

template <typename U, typename S>
void add_all_comparisons(FormTable& table) {
  add_comparisons<U, U>(table);
  add_comparisons<S, S>(table);
  add_comparisons<U, S>(table);
  add_comparisons<S, U>(table);
}

}  // namespace

void add_video_forms(FormTable& table) {
  add_both<kAdd>(table, "vadd");
  add_both<kSubtract>(table, "vsub");
  add_both<kAverage>(table, "vavrg");
  add_both<kDifference>(table, "vabsdiff");
  add_both<kLeast>(table, "vmin");
  add_both<kGreatest>(table, "vmax");
  add_all_comparisons<u8, s8>(table);
  add_all_comparisons<u16, s16>(table);
}

}  // namespace warplens::simt
