// Arithmetic on 16-bit floats, single (f16, bf16) and in pairs (f16x2, bf16x2). Sums and products are taken
// in single precision, where one more rounding to 16 bits cannot go wrong; fused forms go through a rounding
// to odd (see half.h).
#include <cmath>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

// The two formats: conversion both ways, fused multiply-add, and subnormals flushed.
struct HalfFormat {
  static constexpr Type kSingle = Type::F16, kPair = Type::F16x2;
  static float wide(u16 x) { return half_to_float(x); }
  static u16 narrow(float x) { return float_to_half(x); }
  static u16 fused(u16 a, u16 b, u16 c) { return half_fma(a, b, c); }
  static u16 flushed(u16 x) { return (x & 0x7c00) == 0 ? static_cast<u16>(x & 0x8000) : x; }
  static constexpr u16 kInfinity = 0x7c00, kOne = 0x3c00;
};
struct BfloatFormat {
  static constexpr Type kSingle = Type::BF16, kPair = Type::BF16x2;
  static float wide(u16 x) { return bfloat_to_float(x); }
  static u16 narrow(float x) { return float_to_bfloat(x); }
  static u16 fused(u16 a, u16 b, u16 c) { return bfloat_fma(a, b, c); }
  static u16 flushed(u16 x) { return (x & 0x7f80) == 0 ? static_cast<u16>(x & 0x8000) : x; }
  static constexpr u16 kInfinity = 0x7f80, kOne = 0x3f80;
};

// Operations on one pair of lanes' 16 bits.
template <typename Format>
constexpr auto kAdd = [](u16 a, u16 b) { return Format::narrow(Format::wide(a) + Format::wide(b)); };
template <typename Format>
constexpr auto kSubtract = [](u16 a, u16 b) { return Format::narrow(Format::wide(a) - Format::wide(b)); };
template <typename Format>
constexpr auto kMultiply = [](u16 a, u16 b) {
  if constexpr (Format::kSingle == Type::F16) return Format::narrow(Format::wide(a) * Format::wide(b));
  // A product of bfloats below float's range would be rounded twice.
  else
    return Format::narrow(
        narrow_to_odd(static_cast<double>(Format::wide(a)) * static_cast<double>(Format::wide(b))));
};
template <typename Format>
constexpr auto kFused = [](u16 a, u16 b, u16 c) { return Format::fused(a, b, c); };

inline bool is_nan(u16 x, u16 infinity) {
  return (x & 0x7fff) > infinity;
}
// NaN is left out unless it is to be propagated; -0 is below +0.
template <typename Format, bool kMinimum, bool kPropagate, bool kSign>
constexpr auto kExtreme = [](u16 a, u16 b) {
  const bool a_nan = is_nan(a, Format::kInfinity), b_nan = is_nan(b, Format::kInfinity);
  const u16 sign = static_cast<u16>((a ^ b) & 0x8000);
  const u16 x = kSign ? a & 0x7fff : a, y = kSign ? b & 0x7fff : b;
  // Sign and magnitude as numbers that order like the floats.
  const s32 x_order = x & 0x8000 ? -static_cast<s32>(x & 0x7fff) - 1 : x;
  const s32 y_order = y & 0x8000 ? -static_cast<s32>(y & 0x7fff) - 1 : y;
  const bool first = kMinimum ? x_order < y_order : x_order > y_order;
  const u16 ordered = first ? x : y;
  const u16 number = a_nan ? y : b_nan ? x : ordered;
  const bool is_canonical = kPropagate ? a_nan || b_nan : a_nan && b_nan;
  const u16 result = is_canonical ? u16{0x7fff} : number;
  return static_cast<u16>(kSign && !is_canonical ? result | sign : result);
};

// Clamped to [0, 1], NaN to +0; negative numbers (and NaN's sign) to +0 by relu, which keeps NaN.
template <typename Format>
constexpr auto kSaturate = [](u16 x) {
  if (is_nan(x, Format::kInfinity) || (x & 0x8000)) return u16{0};
  return x > Format::kOne ? Format::kOne : x;
};
template <typename Format>
constexpr auto kRelu = [](u16 x) {
  return is_nan(x, Format::kInfinity) ? u16{0x7fff} : (x & 0x8000) ? u16{0} : x;
};
constexpr auto kKeep = [](u16 x) { return x; };
template <typename Format>
constexpr auto kFlush = [](u16 x) { return Format::flushed(x); };
template <auto F, auto G>
constexpr auto kThen = [](u16 x) { return G(F(x)); };

// A form: operands through In, the operation, the result through Out.
template <auto F, auto In, auto Out>
constexpr auto kOne = [](u16 a) { return static_cast<u16>(Out(F(In(a)))); };
template <auto F, auto In, auto Out>
constexpr auto kTwo = [](u16 a, u16 b) { return static_cast<u16>(Out(F(In(a), In(b)))); };
template <auto F, auto In, auto Out>
constexpr auto kThree = [](u16 a, u16 b, u16 c) { return static_cast<u16>(Out(F(In(a), In(b), In(c)))); };

// A row of 32 pairs is a row of 64 halves, low ones first: packed forms run the single form's code over it.
template <bool kFull, auto F, std::size_t kSources>
void pair_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u16* a = row<u16>(warp, op.a);
  const u16* b = row<u16>(warp, kSources > 1 ? op.b : op.a);
  const u16* c = row<u16>(warp, kSources > 2 ? op.c : op.a);
  u16* d = row<u16>(warp, op.d);
  alignas(64) u16 result[2 * kWarpSize];
#pragma GCC ivdep
  for (unsigned i = 0; i < 2 * unsigned(kWarpSize); ++i) {
    if constexpr (kSources == 1) result[i] = F(a[i]);
    if constexpr (kSources == 2) result[i] = F(a[i], b[i]);
    if constexpr (kSources == 3) result[i] = F(a[i], b[i], c[i]);
  }
  if (kFull) {
    std::memcpy(d, result, sizeof result);
    return;
  }
  for (unsigned i = 0; i < 2 * unsigned(kWarpSize); ++i) d[i] = lane_in(mask, i / 2) ? result[i] : d[i];
}
template <auto F, std::size_t kSources>
constexpr Handlers pairs() {
  return {&pair_handler<true, F, kSources>, &pair_handler<false, F, kSources>};
}

template <typename Format>
std::string typed(const std::string& stem, bool pair) {
  return stem + "." + std::string(ptx::name(pair ? Format::kPair : Format::kSingle));
}
template <typename Format, auto F>
void add_one(FormTable& table, const std::string& stem) {
  const Type single = Format::kSingle, pair = Format::kPair;
  table.add(typed<Format>(stem, false), unary<u16, u16, F>(), single, {single});
  table.add(typed<Format>(stem, true), pairs<F, 1>(), pair, {pair});
}
template <typename Format, auto F>
void add_two(FormTable& table, const std::string& stem) {
  const Type single = Format::kSingle, pair = Format::kPair;
  table.add(typed<Format>(stem, false), binary<u16, u16, u16, F>(), single, {single, single});
  table.add(typed<Format>(stem, true), pairs<F, 2>(), pair, {pair, pair});
}
template <typename Format, auto F>
void add_three(FormTable& table, const std::string& stem) {
  const Type single = Format::kSingle, pair = Format::kPair;
  table.add(typed<Format>(stem, false), ternary<u16, u16, u16, u16, F>(), single, {single, single, single});
  table.add(typed<Format>(stem, true), pairs<F, 3>(), pair, {pair, pair, pair});
}

template <typename Format, auto F>
void add_sum(FormTable& table, const std::string& opcode) {
  constexpr auto flush = kFlush<Format>;
  constexpr auto saturate = kSaturate<Format>;
  for (const char* rounding : {"", ".rn"}) {
    const std::string stem = opcode + rounding;
    add_two<Format, F>(table, stem);
    if constexpr (Format::kSingle == Type::F16) {
      add_two<Format, kTwo<F, flush, flush>>(table, stem + ".ftz");
      add_two<Format, kTwo<F, kKeep, saturate>>(table, stem + ".sat");
      add_two<Format, kTwo<F, flush, kThen<flush, saturate>>>(table, stem + ".ftz.sat");
    }
  }
}

template <typename Format>
void add_fused(FormTable& table) {
  constexpr auto flush = kFlush<Format>;
  constexpr auto saturate = kSaturate<Format>;
  constexpr auto relu = kRelu<Format>;
  constexpr auto fused = kFused<Format>;
  add_three<Format, fused>(table, "fma.rn");
  add_three<Format, kThree<fused, kKeep, relu>>(table, "fma.rn.relu");
  if constexpr (Format::kSingle == Type::F16) {
    add_three<Format, kThree<fused, flush, flush>>(table, "fma.rn.ftz");
    add_three<Format, kThree<fused, kKeep, saturate>>(table, "fma.rn.sat");
    add_three<Format, kThree<fused, flush, kThen<flush, saturate>>>(table, "fma.rn.ftz.sat");
    add_three<Format, kThree<fused, flush, kThen<flush, relu>>>(table, "fma.rn.ftz.relu");
  }
}

template <typename Format, bool kMinimum>
void add_extremes(FormTable& table, const std::string& opcode) {
  constexpr auto flush = kFlush<Format>;
  constexpr auto plain = kExtreme<Format, kMinimum, false, false>;
  constexpr auto nan = kExtreme<Format, kMinimum, true, false>;
  add_two<Format, plain>(table, opcode);
  add_two<Format, nan>(table, opcode + ".NaN");
  add_two<Format, kExtreme<Format, kMinimum, false, true>>(table, opcode + ".xorsign.abs");
  add_two<Format, kExtreme<Format, kMinimum, true, true>>(table, opcode + ".NaN.xorsign.abs");
  if constexpr (Format::kSingle == Type::F16) {
    add_two<Format, kTwo<plain, flush, flush>>(table, opcode + ".ftz");
    add_two<Format, kTwo<nan, flush, flush>>(table, opcode + ".ftz.NaN");
  }
}

template <typename Format>
void add_format(FormTable& table) {
  constexpr auto negate = [](u16 a) {
    return is_nan(a, Format::kInfinity) ? u16{0x7fff} : static_cast<u16>(a ^ 0x8000);
  };
  constexpr auto absolute = [](u16 a) {
    return is_nan(a, Format::kInfinity) ? u16{0x7fff} : static_cast<u16>(a & 0x7fff);
  };
  constexpr auto flush = kFlush<Format>;
  add_sum<Format, kAdd<Format>>(table, "add");
  add_sum<Format, kSubtract<Format>>(table, "sub");
  add_sum<Format, kMultiply<Format>>(table, "mul");
  add_fused<Format>(table);
  add_extremes<Format, true>(table, "min");
  add_extremes<Format, false>(table, "max");
  add_one<Format, negate>(table, "neg");
  add_one<Format, absolute>(table, "abs");
  if constexpr (Format::kSingle == Type::F16) {
    add_one<Format, kOne<negate, flush, kKeep>>(table, "neg.ftz");
    add_one<Format, kOne<absolute, flush, kKeep>>(table, "abs.ftz");
  }
}

}  // namespace

void add_half_forms(FormTable& table) {
  add_format<HalfFormat>(table);
  add_format<BfloatFormat>(table);
}

}  // namespace warplens::simt
