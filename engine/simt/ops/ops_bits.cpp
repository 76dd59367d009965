// Logic, shifts and bit fields.
#include <bit>
#include <type_traits>

#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

constexpr auto kAnd = []<typename T>(T a, T b) { return static_cast<T>(a & b); };
constexpr auto kOr = []<typename T>(T a, T b) { return static_cast<T>(a | b); };
constexpr auto kXor = []<typename T>(T a, T b) { return static_cast<T>(a ^ b); };
constexpr auto kNot = []<typename T>(T a) { return static_cast<T>(~a); };
constexpr auto kIsZero = []<typename T>(T a) { return static_cast<T>(a == 0); };

// Shift amounts of the width and more shift everything out; x86 would take them modulo the width.
template <typename T>
inline constexpr u32 kWidth = 8 * sizeof(T);
constexpr auto kShiftLeft = []<typename T>(T a, u32 n) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(n < 32 ? u32{a} << (n & 31) : 0);
  else
    return static_cast<T>(n < kWidth<T> ? a << (n & (kWidth<T> - 1)) : 0);
};
constexpr auto kShiftRight = []<typename T>(T a, u32 n) {
  if constexpr (std::is_signed_v<T>) {
    const u32 amount = n < kWidth<T> ? n : kWidth<T> - 1;
    return static_cast<T>(a >> amount);
  } else {
    return static_cast<T>(n < kWidth<T> ? a >> (n & (kWidth<T> - 1)) : 0);
  }
};

// Nearly all shift amounts are one for all lanes, mostly a literal: a shift of whole vectors then, and for
// signed numbers, which AVX2 cannot shift in 64 bits, one of unsigned numbers whose sign is put back.
template <bool kFull, typename T, bool kLeft>
void shift_handler(const Op& op, Warp& warp, LaneMask mask) {
  using U = std::make_unsigned_t<T>;
  const u32* const amounts = row<u32>(warp, op.b);
  const u32 n = amounts[0];
  u32 differ = 0;
  WARPLENS_FOR_LANES(l) {
    differ |= amounts[l] ^ n;
  }
  if (differ != 0) {
    if constexpr (kLeft)
      return binary_handler<kFull, T, T, u32, kShiftLeft>(op, warp, mask);
    else
      return binary_handler<kFull, T, T, u32, kShiftRight>(op, warp, mask);
  }
  const U* const a = row<U>(warp, op.a);
  constexpr u32 kMost = kWidth<T> - 1;
  if constexpr (std::is_signed_v<T> && !kLeft) {
    const u32 by = n < kMost ? n : kMost;
    const U sign = (U{1} << kMost) >> by;
    write_lanes(row<U>(warp, op.d), mask, kFull,
                [a, by, sign](unsigned l) { return static_cast<U>(((a[l] >> by) ^ sign) - sign); });
  } else {
    const U keep = n <= kMost ? ~U{0} : U{0};
    const u32 by = n & kMost;
    write_lanes(row<U>(warp, op.d), mask, kFull, [a, by, keep](unsigned l) {
      return static_cast<U>((kLeft ? a[l] << by : a[l] >> by) & keep);
    });
  }
}
template <typename T, bool kLeft>
constexpr Handlers shift() {
  return {&shift_handler<true, T, kLeft>, &shift_handler<false, T, kLeft>};
}

constexpr auto kPopulation = []<typename T>(T a) { return static_cast<u32>(std::popcount(a)); };
constexpr auto kLeadingZeros = []<typename T>(T a) { return static_cast<u32>(std::countl_zero(a)); };
constexpr auto kReverse = []<typename T>(T a) {
  u64 x = a;
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  x = __builtin_bswap64(x);
  return static_cast<T>(x >> (64 - kWidth<T>));
};

// Position of the highest bit that differs from the sign (of the highest set bit of unsigned numbers), all
// ones when there is none; `shiftamt`: how far to shift left to bring it to the top.
template <bool kShiftAmount>
constexpr auto kFind = []<typename T>(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
  if (bits == 0) return ~u32{0};
  const auto zeros = static_cast<u32>(std::countl_zero(bits));
  return kShiftAmount ? zeros : kWidth<T> - 1 - zeros;
};

// Positions and lengths of fields: the low byte for 32-bit fields, the whole number for 64-bit ones (so the
// machine has it, whatever the document says).
template <typename T>
constexpr auto kAmount = [](u32 n) {
  if constexpr (sizeof(T) == 4)
    return n & 255;
  else
    return n < 255 ? n : u32{255};
};

// bfe: `len` bits from `pos` on; a signed field takes its sign from its own last bit, or from the top bit
// when it runs over the end.
constexpr auto kExtract = []<typename T>(T a, u32 b, u32 c) {
  const u32 position = kAmount<T>(b), length = kAmount<T>(c);
  using U = std::make_unsigned_t<T>;
  if (length == 0) return T{0};
  const U shifted = kShiftRight(static_cast<U>(a), position);
  U field = length < kWidth<T> ? static_cast<U>(shifted & ((U{1} << length) - 1)) : shifted;
  if constexpr (std::is_signed_v<T>) {
    const u32 last = position + length - 1 < kWidth<T> - 1 ? position + length - 1 : kWidth<T> - 1;
    const bool sign = (static_cast<U>(a) >> last & 1) != 0;
    if (sign && length < kWidth<T>) field |= static_cast<U>(~U{0} << length);
    // The field's own top may lie above the word: everything from there on is the sign too.
    if (sign && position > 0) field |= position >= kWidth<T> ? ~U{0} : static_cast<U>(~(~U{0} >> position));
  }
  return static_cast<T>(field);
};

// bfi: the low `len` bits of a take the place of b's from `pos` on.
constexpr auto kInsert = []<typename T>(T a, T b, u32 c, u32 d) {
  const u32 position = kAmount<T>(c), length = kAmount<T>(d);
  const T ones = length >= kWidth<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = kShiftLeft(ones, position);
  return static_cast<T>((b & ~mask) | (kShiftLeft(a, position) & mask));
};

// bmsk: `length` ones from `position` on. szext: the low `length` bits, extended.
template <bool kWrap>
constexpr auto kMask = [](u32 position, u32 length) {
  const u32 p = kWrap ? position & 31 : position, n = kWrap ? length & 31 : length;
  const u32 ones = n < 32 ? (u32{1} << n) - 1 : ~u32{0};
  return kShiftLeft(ones, p);
};
template <bool kWrap>
constexpr auto kExtend = []<typename T>(T a, u32 n) {
  const u32 length = kWrap ? n & 31 : n;
  if (length >= 32) return a;
  if (length == 0) return T{0};
  const u32 up = 32 - length;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << up) >> up);
};

template <bool kWrap>
constexpr auto kFunnelLeft = [](u32 a, u32 b, u32 c) {
  const u32 n = kWrap ? c & 31 : c < 32 ? c : 32;
  return static_cast<u32>(((u64{b} << 32 | a) << n) >> 32);
};
template <bool kWrap>
constexpr auto kFunnelRight = [](u32 a, u32 b, u32 c) {
  const u32 n = kWrap ? c & 31 : c < 32 ? c : 32;
  return static_cast<u32>((u64{b} << 32 | a) >> n);
};

// prmt: four selectors pick bytes of b:a; bit 3 of a selector copies the byte's sign over it.
constexpr auto kPermute = [](u32 a, u32 b, u32 c) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 selector = c >> 4 * i & 15;
    u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 255;
    if (selector & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
};
// The special modes compute their selectors from the low two bits of c.
template <auto kSelector>
constexpr auto kPermuteMode = [](u32 a, u32 b, u32 c) {
  u32 selectors = 0;
  for (u32 i = 0; i < 4; ++i) selectors |= kSelector(c & 3, i) << 4 * i;
  return kPermute(a, b, selectors);
};
constexpr auto kForward4 = [](u32 n, u32 i) { return n + i; };
constexpr auto kBackward4 = [](u32 n, u32 i) { return (n - i) & 7; };
constexpr auto kReplicate8 = [](u32 n, u32) { return n; };
constexpr auto kEdgeLeft = [](u32 n, u32 i) { return i > n ? i : n; };
constexpr auto kEdgeRight = [](u32 n, u32 i) { return i < n ? i : n; };
constexpr auto kReplicate16 = [](u32 n, u32 i) { return (n & 1) * 2 + (i & 1); };

// Position of the n-th set bit of a from `base` on, upwards (n > 0) or downwards (n < 0).
constexpr auto kFindNth = [](u32 a, u32 base, s32 n) {
  if (base > 31) return ~u32{0};
  if (n == 0) return (a >> base & 1) != 0 ? base : ~u32{0};
  const int step = n > 0 ? 1 : -1;
  s64 left = n > 0 ? s64{n} : -s64{n};
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if ((a >> i & 1) != 0 && --left == 0) return static_cast<u32>(i);
  return ~u32{0};
};

template <typename T, auto F>
void insert_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b);
  const u32* position = row<u32>(warp, op.c);
  const u32* length = row<u32>(warp, op.e);
  // Destination last: it may overlap the narrower operands.
  alignas(64) T result[kWarpSize];
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) result[l] = F(a[l], b[l], position[l], length[l]);
  write_lanes(row<T>(warp, op.d), mask, false, [&](unsigned l) { return result[l]; });
}

// Logic on predicates works on whole masks.
template <auto F>
void predicate_handler(const Op& op, Warp& warp, LaneMask mask) {
  write_predicate(warp, op.d, F(read_predicate(warp, op.a), read_predicate(warp, op.b)), mask);
}
void predicate_not_handler(const Op& op, Warp& warp, LaneMask mask) {
  write_predicate(warp, op.d, ~read_predicate(warp, op.a), mask);
}

template <typename T>
void add_logic(FormTable& table, Type type) {
  const std::string suffix = std::string(".").append(ptx::name(type));
  table.add("and" + suffix, binary<T, T, T, kAnd>(), type, {type, type});
  table.add("or" + suffix, binary<T, T, T, kOr>(), type, {type, type});
  table.add("xor" + suffix, binary<T, T, T, kXor>(), type, {type, type});
  table.add("not" + suffix, unary<T, T, kNot>(), type, {type});
  table.add("cnot" + suffix, unary<T, T, kIsZero>(), type, {type});
  if constexpr (sizeof(T) >= 4) {
    table.add("shl" + suffix, shift<T, true>(), type, {type, Type::U32});
    table.add("shr" + suffix, shift<T, false>(), type, {type, Type::U32});
  } else {
    table.add("shl" + suffix, binary<T, T, u32, kShiftLeft>(), type, {type, Type::U32});
    table.add("shr" + suffix, binary<T, T, u32, kShiftRight>(), type, {type, Type::U32});
  }
}

template <typename T>
void add_shift(FormTable& table) {
  if constexpr (sizeof(T) >= 4)
    table.add(with_type<T>("shr"), shift<T, false>(), TypeOf<T>::value, {TypeOf<T>::value, Type::U32});
  else
    table.add(with_type<T>("shr"), binary<T, T, u32, kShiftRight>(), TypeOf<T>::value,
              {TypeOf<T>::value, Type::U32});
}

template <typename T>
void add_counts(FormTable& table, Type type) {
  const std::string suffix = std::string(".").append(ptx::name(type));
  table.add("popc" + suffix, unary<u32, T, kPopulation>(), Type::U32, {type});
  table.add("clz" + suffix, unary<u32, T, kLeadingZeros>(), Type::U32, {type});
  table.add("brev" + suffix, unary<T, T, kReverse>(), type, {type});
  table.add("bfi" + suffix, both(&insert_handler<T, kInsert>), type, {type, type, Type::U32, Type::U32});
}

template <typename T>
void add_fields(FormTable& table) {
  table.add(with_type<T>("bfind"), unary<u32, T, kFind<false>>(), Type::U32, {TypeOf<T>::value});
  table.add(with_type<T>("bfind.shiftamt"), unary<u32, T, kFind<true>>(), Type::U32, {TypeOf<T>::value});
  table.add(with_type<T>("bfe"), ternary<T, T, u32, u32, kExtract>(), TypeOf<T>::value,
            {TypeOf<T>::value, Type::U32, Type::U32});
}

template <auto F>
void add_word(FormTable& table, const std::string& text) {
  table.add(text, ternary<u32, u32, u32, u32, F>(), Type::B32, {Type::B32, Type::B32, Type::U32});
}

// The low eight bits of imm are the truth table: bit (a b c) is the result for those inputs.
u32 lookup(u32 a, u32 b, u32 c, u64 table) {
  u32 result = 0;
  for (u32 i = 0; i < 8; ++i)
    if ((table >> i & 1) != 0) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return result;
}

void lookup_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u32* a = row<u32>(warp, op.a);
  const u32* b = row<u32>(warp, op.b);
  const u32* c = row<u32>(warp, op.c);
  // Minterms as masks, so that the loop has no branches.
  u32 use[8];
  for (u32 i = 0; i < 8; ++i) use[i] = 0u - static_cast<u32>(op.imm >> i & 1);
  write_lanes(row<u32>(warp, op.d), mask, mask == kFullMask, [&](unsigned l) {
    const u32 x = a[l], y = b[l], z = c[l];
    const u32 with = (use[7] & y & z) | (use[6] & y & ~z) | (use[5] & ~y & z) | (use[4] & ~y & ~z);
    const u32 without = (use[3] & y & z) | (use[2] & y & ~z) | (use[1] & ~y & z) | (use[0] & ~y & ~z);
    return (x & with) | (~x & without);
  });
}

// lop3.or.b32 d|p, a, b, c, table, q:  p = (result != 0) or q.
template <auto F>
void lookup_predicate_handler(const Op& op, Warp& warp, LaneMask mask) {
  const u32* rows[] = {row<u32>(warp, op.a), row<u32>(warp, op.b), row<u32>(warp, op.c)};
  const u32* list = warp.lists + op.list;
  const LaneMask other = read_predicate(warp, list[1]);
  u32* d = row<u32>(warp, op.d);
  LaneMask nonzero = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    const u32 value = lookup(rows[0][l], rows[1][l], rows[2][l], op.imm);
    nonzero |= LaneMask(value != 0) << l;
    if (lane_in(mask, l)) d[l] = value;
  }
  write_predicate(warp, list[0], F(nonzero, other), mask);
}

bool decode_lookup(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool pair = form.modifiers.size() == 2;
  const bool combines = form.has(ptx::Modifier::Or) || form.has(ptx::Modifier::And);
  if (form.modifiers.size() > 2 || pair != combines || form.type() != Type::B32) return false;
  const std::size_t operands = pair ? 6 : 5;
  if (!context.count(in, operands, operands) || in.operands[4].kind != ptx::OperandKind::Integer)
    return false;
  op.a = source_row(context, in.operands[1], Type::B32);
  op.b = source_row(context, in.operands[2], Type::B32);
  op.c = source_row(context, in.operands[3], Type::B32);
  op.imm = static_cast<u64>(in.operands[4].value) & 255;
  if (!pair) {
    op.d = destination_row(context, in.operands[0], Type::B32);
    op.set(both(&lookup_handler));
    return context.ok();
  }
  const ptx::Operand& result = in.operands[0];
  if (result.kind != ptx::OperandKind::Vector || result.elements.size() != 2) return false;
  op.d = destination_row(context, result.elements[0], Type::B32);
  const u32 predicates[] = {context.predicate_destination(result.elements[1]),
                            context.predicate(in.operands[5])};
  op.list = context.list(predicates);
  op.set(
      both(form.has(ptx::Modifier::Or) ? &lookup_predicate_handler<kOr> : &lookup_predicate_handler<kAnd>));
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Lop3, decode_lookup}};

}  // namespace

std::span<const OpcodeEntry> bit_entries() {
  return kEntries;
}

void add_bit_forms(FormTable& table) {
  add_logic<u16>(table, Type::B16);
  add_logic<u32>(table, Type::B32);
  add_logic<u64>(table, Type::B64);
  table.add("and.pred", both(&predicate_handler<kAnd>), Type::Pred, {Type::Pred, Type::Pred});
  table.add("or.pred", both(&predicate_handler<kOr>), Type::Pred, {Type::Pred, Type::Pred});
  table.add("xor.pred", both(&predicate_handler<kXor>), Type::Pred, {Type::Pred, Type::Pred});
  table.add("not.pred", both(&predicate_not_handler), Type::Pred, {Type::Pred});
  add_shift<u16>(table);
  add_shift<s16>(table);
  add_shift<u32>(table);
  add_shift<s32>(table);
  add_shift<u64>(table);
  add_shift<s64>(table);
  add_counts<u32>(table, Type::B32);
  add_counts<u64>(table, Type::B64);
  add_fields<u32>(table);
  add_fields<s32>(table);
  add_fields<u64>(table);
  add_fields<s64>(table);
  add_word<kFunnelLeft<false>>(table, "shf.l.clamp.b32");
  add_word<kFunnelLeft<true>>(table, "shf.l.wrap.b32");
  add_word<kFunnelRight<false>>(table, "shf.r.clamp.b32");
  add_word<kFunnelRight<true>>(table, "shf.r.wrap.b32");
  add_word<kPermute>(table, "prmt.b32");
  add_word<kPermuteMode<kForward4>>(table, "prmt.b32.f4e");
  add_word<kPermuteMode<kBackward4>>(table, "prmt.b32.b4e");
  add_word<kPermuteMode<kReplicate8>>(table, "prmt.b32.rc8");
  add_word<kPermuteMode<kEdgeLeft>>(table, "prmt.b32.ecl");
  add_word<kPermuteMode<kEdgeRight>>(table, "prmt.b32.ecr");
  add_word<kPermuteMode<kReplicate16>>(table, "prmt.b32.rc16");
  table.add("bmsk.clamp.b32", binary<u32, u32, u32, kMask<false>>(), Type::B32, {Type::B32, Type::U32});
  table.add("bmsk.wrap.b32", binary<u32, u32, u32, kMask<true>>(), Type::B32, {Type::B32, Type::U32});
  add_binary<u32, u32, u32, kExtend<false>>(table, "szext.clamp.u32");
  add_binary<u32, u32, u32, kExtend<true>>(table, "szext.wrap.u32");
  table.add("szext.clamp.s32", binary<s32, s32, u32, kExtend<false>>(), Type::S32, {Type::S32, Type::U32});
  table.add("szext.wrap.s32", binary<s32, s32, u32, kExtend<true>>(), Type::S32, {Type::S32, Type::U32});
  table.add("fns.b32", ternary<u32, u32, u32, s32, kFindNth>(), Type::B32, {Type::B32, Type::B32, Type::S32});
}

}  // namespace warplens::simt
