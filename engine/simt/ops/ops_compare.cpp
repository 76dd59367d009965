// Comparisons and choices: setp, set, selp, slct, testp.
#include <cmath>
#include <string>
#include <unordered_map>

#include "engine/simt/ops/half.h"
#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

// The lanes for which a comparison of op.a and op.b holds.
using Comparator = LaneMask (*)(const Op& op, Warp& warp);
struct Comparison {
  Handlers plain;  // setp without combination
  Comparator lanes = nullptr;
};
using ComparisonTable = std::unordered_map<std::string, Comparison>;

// How stored lanes become comparable numbers.
constexpr auto kSame = []<typename T>(T x) { return x; };
constexpr auto kFlushed = [](float x) { return flush(x); };
constexpr auto kFromHalf = [](u16 x) { return half_to_float(x); };
constexpr auto kFromBfloat = [](u16 x) { return bfloat_to_float(x); };
constexpr auto kFlushedHalf = [](u16 x) { return half_to_float((x & 0x7c00) == 0 ? u16(x & 0x8000) : x); };

template <typename T, auto Value, auto F>
LaneMask comparator(const Op& op, Warp& warp) {
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b);
  return mask_of([&](unsigned l) { return F(Value(a[l]), Value(b[l])); });
}
template <typename T, auto Value, auto F>
void plain_handler(const Op& op, Warp& warp, LaneMask mask) {
  write_predicate(warp, op.d, comparator<T, Value, F>(op, warp), mask);
}

constexpr auto kEqual = []<typename T>(T a, T b) { return a == b; };
constexpr auto kNotEqual = []<typename T>(T a, T b) { return a != b; };
constexpr auto kLess = []<typename T>(T a, T b) { return a < b; };
constexpr auto kLessEqual = []<typename T>(T a, T b) { return a <= b; };
constexpr auto kGreater = []<typename T>(T a, T b) { return a > b; };
constexpr auto kGreaterEqual = []<typename T>(T a, T b) { return a >= b; };
// Floats: the plain comparisons are false for NaN, those ending in u true.
constexpr auto kOrderedNotEqual = []<typename T>(T a, T b) { return (a < b) | (a > b); };
constexpr auto kUnorderedEqual = []<typename T>(T a, T b) { return !((a < b) | (a > b)); };
constexpr auto kNotGreaterEqual = []<typename T>(T a, T b) { return !(a >= b); };
constexpr auto kNotGreater = []<typename T>(T a, T b) { return !(a > b); };
constexpr auto kNotLessEqual = []<typename T>(T a, T b) { return !(a <= b); };
constexpr auto kNotLess = []<typename T>(T a, T b) { return !(a < b); };
constexpr auto kNumbers = []<typename T>(T a, T b) { return (a == a) & (b == b); };
constexpr auto kAnyNaN = []<typename T>(T a, T b) { return (a != a) | (b != b); };

template <typename T, auto Value, auto F>
void add(ComparisonTable& table, const std::string& comparison, const std::string& type) {
  table[comparison + type] = {both(&plain_handler<T, Value, F>), &comparator<T, Value, F>};
}

template <typename T>
void add_equalities(ComparisonTable& table, const std::string& type) {
  add<T, kSame, kEqual>(table, "eq", type);
  add<T, kSame, kNotEqual>(table, "ne", type);
}

template <typename T>
void add_integer(ComparisonTable& table, const std::string& type) {
  add_equalities<T>(table, type);
  add<T, kSame, kLess>(table, "lt", type);
  add<T, kSame, kLessEqual>(table, "le", type);
  add<T, kSame, kGreater>(table, "gt", type);
  add<T, kSame, kGreaterEqual>(table, "ge", type);
  if (type[1] == 'u') {
    add<T, kSame, kLess>(table, "lo", type);
    add<T, kSame, kLessEqual>(table, "ls", type);
    add<T, kSame, kGreater>(table, "hi", type);
    add<T, kSame, kGreaterEqual>(table, "hs", type);
  }
}

template <typename T, auto Value>
void add_float(ComparisonTable& table, const std::string& type) {
  add<T, Value, kEqual>(table, "eq", type);
  add<T, Value, kOrderedNotEqual>(table, "ne", type);
  add<T, Value, kLess>(table, "lt", type);
  add<T, Value, kLessEqual>(table, "le", type);
  add<T, Value, kGreater>(table, "gt", type);
  add<T, Value, kGreaterEqual>(table, "ge", type);
  add<T, Value, kUnorderedEqual>(table, "equ", type);
  add<T, Value, kNotEqual>(table, "neu", type);
  add<T, Value, kNotGreaterEqual>(table, "ltu", type);
  add<T, Value, kNotGreater>(table, "leu", type);
  add<T, Value, kNotLessEqual>(table, "gtu", type);
  add<T, Value, kNotLess>(table, "geu", type);
  add<T, Value, kNumbers>(table, "num", type);
  add<T, Value, kAnyNaN>(table, "nan", type);
}

const ComparisonTable& comparisons() {
  static const ComparisonTable all = [] {
    ComparisonTable table;
    add_equalities<u16>(table, ".b16");
    add_equalities<u32>(table, ".b32");
    add_equalities<u64>(table, ".b64");
    add_integer<u16>(table, ".u16");
    add_integer<s16>(table, ".s16");
    add_integer<u32>(table, ".u32");
    add_integer<s32>(table, ".s32");
    add_integer<u64>(table, ".u64");
    add_integer<s64>(table, ".s64");
    add_float<float, kSame>(table, ".f32");
    add_float<float, kFlushed>(table, ".ftz.f32");
    add_float<double, kSame>(table, ".f64");
    add_float<u16, kFromHalf>(table, ".f16");
    add_float<u16, kFlushedHalf>(table, ".ftz.f16");
    add_float<u16, kFromBfloat>(table, ".bf16");
    return table;
  }();
  return all;
}

enum Combine : u64 { kPlain, kWithAnd, kWithOr, kWithXor };

// Forms with a third operand or a second destination: op.c is the combining predicate, op.e the second
// destination, op.imm the way to combine above the address of the comparison's entry (which stays where it
// is).
constexpr int kHowShift = 56;

const Comparison& comparison_of(const Op& op) {
  return *reinterpret_cast<const Comparison*>(op.imm & ((u64{1} << kHowShift) - 1));
}

LaneMask combine(const Op& op, Warp& warp, LaneMask lanes) {
  const LaneMask other = op.c == kNoRow ? 0 : read_predicate(warp, op.c);
  const u64 how = op.imm >> kHowShift;
  if (how == kWithAnd) return lanes & other;
  if (how == kWithOr) return lanes | other;
  return how == kWithXor ? lanes ^ other : lanes;
}

void combined_handler(const Op& op, Warp& warp, LaneMask mask) {
  const LaneMask lanes = comparison_of(op).lanes(op, warp);
  const LaneMask first = combine(op, warp, lanes), second = combine(op, warp, ~lanes);
  write_predicate(warp, op.d, first, mask);
  if (op.e != kNoRow) write_predicate(warp, op.e, second, mask);
}

struct HalfLanes {
  LaneMask low = 0, high = 0;
};

// Compares the low and the high halves of two packed registers.
HalfLanes compare_halves(const Op& op, Warp& warp) {
  const u32* a = row<u32>(warp, op.a);
  const u32* b = row<u32>(warp, op.b);
  alignas(64) u16 parts[4][kWarpSize];
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) {
    parts[0][l] = static_cast<u16>(a[l]);
    parts[1][l] = static_cast<u16>(b[l]);
    parts[2][l] = static_cast<u16>(a[l] >> 16);
    parts[3][l] = static_cast<u16>(b[l] >> 16);
  }
  // The comparison of single halves sees the copies as if they were registers.
  Warp view;
  view.registers = reinterpret_cast<std::byte*>(parts);
  Op halves = op;
  halves.a = 0;
  halves.b = sizeof parts[0];
  const LaneMask low = comparison_of(op).lanes(halves, view);
  halves.a = 2 * sizeof parts[0];
  halves.b = 3 * sizeof parts[0];
  const LaneMask high = comparison_of(op).lanes(halves, view);
  return {combine(op, warp, low), combine(op, warp, high)};
}

// setp.lt.f16x2 p|q: p compares the low halves, q the high ones.
void packed_setp_handler(const Op& op, Warp& warp, LaneMask mask) {
  const HalfLanes lanes = compare_halves(op, warp);
  write_predicate(warp, op.d, lanes.low, mask);
  if (op.e != kNoRow) write_predicate(warp, op.e, lanes.high, mask);
}

// set: true is kOne (all ones, or one as a float), false is zero.
template <typename D, D kOne>
void set_handler(const Op& op, Warp& warp, LaneMask mask) {
  const LaneMask lanes = combine(op, warp, comparison_of(op).lanes(op, warp));
  write_lanes(row<D>(warp, op.d), mask, false,
              [&](unsigned l) { return (lanes >> l & 1) != 0 ? kOne : D{0}; });
}
template <u32 kOne>
void packed_set_handler(const Op& op, Warp& warp, LaneMask mask) {
  const HalfLanes lanes = compare_halves(op, warp);
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) {
    return ((lanes.low >> l & 1) != 0 ? kOne & 0xffffu : 0u) |
           ((lanes.high >> l & 1) != 0 ? kOne & 0xffff0000u : 0u);
  });
}

// A form's comparison, combination and compared type.
struct Parts {
  std::string key;  // of comparisons()
  Combine how = kPlain;
  Type compared = Type::None;
  bool packed = false;  // f16x2, bf16x2
  const Comparison* found = nullptr;
};

Parts parts_of(const ptx::Form& form, std::size_t types) {
  Parts parts;
  const auto& modifiers = form.modifiers;
  if (modifiers.size() < types + 1 || form.types.size() != types) return parts;
  std::size_t next = 0;
  const std::string comparison(ptx::name(modifiers[next++]));
  if (modifiers[next] == ptx::Modifier::And) parts.how = kWithAnd;
  if (modifiers[next] == ptx::Modifier::Or) parts.how = kWithOr;
  if (modifiers[next] == ptx::Modifier::Xor) parts.how = kWithXor;
  if (parts.how != kPlain) ++next;
  const bool ftz = next < modifiers.size() && modifiers[next] == ptx::Modifier::Ftz;
  if (ftz) ++next;
  if (modifiers.size() != next + types) return parts;
  parts.compared = form.types.back();
  parts.packed = parts.compared == Type::F16x2 || parts.compared == Type::BF16x2;
  const Type single = parts.compared == Type::F16x2    ? Type::F16
                      : parts.compared == Type::BF16x2 ? Type::BF16
                                                       : parts.compared;
  parts.key = comparison + (ftz ? ".ftz." : ".") + std::string(ptx::name(single));
  const auto found = comparisons().find(parts.key);
  if (found != comparisons().end()) parts.found = &found->second;
  return parts;
}

// Compared operands and the combining predicate.
bool decode_sources(DecodeContext& context, const ptx::Instruction& in, const Parts& parts, Op& op) {
  const std::size_t operands = parts.how == kPlain ? 3 : 4;
  if (!context.count(in, operands, operands)) return false;
  op.a = source_row(context, in.operands[1], parts.compared);
  op.b = source_row(context, in.operands[2], parts.compared);
  if (parts.how != kPlain) op.c = context.predicate(in.operands[3]);
  op.imm = reinterpret_cast<u64>(parts.found) | static_cast<u64>(parts.how) << kHowShift;
  return context.ok();
}

bool decode_setp(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const Parts parts = parts_of(form, 1);
  if (!parts.found || !decode_sources(context, in, parts, op)) return false;
  const ptx::Operand& result = in.operands[0];
  const bool pair = result.kind == ptx::OperandKind::Vector;
  if (pair && result.elements.size() != 2) return false;
  op.d = context.predicate_destination(pair ? result.elements[0] : result);
  if (!pair && parts.how == kPlain && !parts.packed) {
    op.set(parts.found->plain);
    return context.ok();
  }
  if (pair) op.e = context.predicate_destination(result.elements[1]);
  op.set(both(parts.packed ? &packed_setp_handler : &combined_handler));
  return context.ok();
}

Handler set_for(Type result, bool packed) {
  switch (result) {
    case Type::U32:
    case Type::S32:
      return packed ? &packed_set_handler<0xffffffff> : &set_handler<u32, 0xffffffff>;
    case Type::F32:
      return packed ? nullptr : &set_handler<u32, 0x3f800000>;
    case Type::U16:
    case Type::S16:
      return packed ? nullptr : &set_handler<u16, 0xffff>;
    case Type::F16:
      return packed ? nullptr : &set_handler<u16, 0x3c00>;
    case Type::BF16:
      return packed ? nullptr : &set_handler<u16, 0x3f80>;
    case Type::F16x2:
      return packed ? &packed_set_handler<0x3c003c00> : nullptr;
    case Type::BF16x2:
      return packed ? &packed_set_handler<0x3f803f80> : nullptr;
    default:
      return nullptr;
  }
}

bool decode_set(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const Parts parts = parts_of(form, 2);
  if (!parts.found || !decode_sources(context, in, parts, op)) return false;
  const Handler handler = set_for(form.types[0], parts.packed);
  if (!handler) return false;
  op.d = destination_row(context, in.operands[0], form.types[0]);
  op.set(both(handler));
  return context.ok();
}

template <bool kFull, typename T>
void select_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  const T* b = row<T>(warp, op.b);
  const LaneMask choice = read_predicate(warp, op.c);
  write_lanes(row<T>(warp, op.d), mask, kFull, [&](unsigned l) {
    const T x = a[l], y = b[l];
    return (choice >> l & 1) != 0 ? x : y;
  });
}

template <typename T>
void add_select(FormTable& table, std::initializer_list<Type> types) {
  constexpr auto by_integer = [](T a, T b, s32 c) { return c >= 0 ? a : b; };
  constexpr auto by_float = [](T a, T b, float c) { return c >= 0.0f ? a : b; };
  for (const Type type : types) {
    const std::string suffix = std::string(".").append(ptx::name(type));
    table.add("selp" + suffix, {&select_handler<true, T>, &select_handler<false, T>}, type,
              {type, type, Type::Pred});
    table.add("slct" + suffix + ".s32", ternary<T, T, T, s32, by_integer>(), type, {type, type, Type::S32});
    table.add("slct" + suffix + ".f32", ternary<T, T, T, float, by_float>(), type, {type, type, Type::F32});
    // A negative subnormal flushes to -0, which counts as not negative.
    constexpr auto by_flushed = [](T a, T b, float c) { return flush(c) >= 0.0f ? a : b; };
    table.add("slct.ftz" + suffix + ".f32", ternary<T, T, T, float, by_flushed>(), type,
              {type, type, Type::F32});
  }
}

template <typename T, auto F>
void test_handler(const Op& op, Warp& warp, LaneMask mask) {
  const T* a = row<T>(warp, op.a);
  LaneMask lanes = 0;
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) lanes |= LaneMask{F(std::fpclassify(a[l]))} << l;
  write_predicate(warp, op.d, lanes, mask);
}

template <typename T>
void add_tests(FormTable& table) {
  constexpr auto finite = [](int kind) { return kind != FP_NAN && kind != FP_INFINITE; };
  constexpr auto infinite = [](int kind) { return kind == FP_INFINITE; };
  constexpr auto number = [](int kind) { return kind != FP_NAN; };
  constexpr auto not_a_number = [](int kind) { return kind == FP_NAN; };
  constexpr auto normal = [](int kind) { return kind == FP_NORMAL || kind == FP_ZERO; };
  constexpr auto subnormal = [](int kind) { return kind == FP_SUBNORMAL; };
  const auto test = [&](const char* name, Handler handler) {
    table.add(with_type<T>(std::string("testp.") + name), both(handler), Type::Pred, {TypeOf<T>::value});
  };
  test("finite", &test_handler<T, finite>);
  test("infinite", &test_handler<T, infinite>);
  test("number", &test_handler<T, number>);
  test("notanumber", &test_handler<T, not_a_number>);
  test("normal", &test_handler<T, normal>);
  test("subnormal", &test_handler<T, subnormal>);
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Setp, decode_setp}, {ptx::Opcode::Set, decode_set}};

}  // namespace

std::span<const OpcodeEntry> compare_entries() {
  return kEntries;
}

void add_select_forms(FormTable& table) {
  add_select<u16>(table, {Type::B16, Type::U16, Type::S16});
  add_select<u32>(table, {Type::B32, Type::U32, Type::S32, Type::F32});
  add_select<u64>(table, {Type::B64, Type::U64, Type::S64, Type::F64});
  add_tests<float>(table);
  add_tests<double>(table);
}

}  // namespace warplens::simt
