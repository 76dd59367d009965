// The scalar video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset, vmad. Each takes a byte,
// a halfword or a word of its operands, computes exactly, saturates when told to, and then combines the
// result with c or puts it into a part of c.
//
//   vadd.s32.u32.s32.sat %r1.b0, %r2.b3, %r3.h1, %r4;
//   vmad.s32.s32.s32.shr7 %r1, %r2.h0, %r3.h1, %r4;      negated operands are not decoded
#include <algorithm>
#include <optional>

#include "engine/simt/ops/op_table.h"

namespace warplens::simt {
namespace {

enum class Action : std::uint8_t { Add, Subtract, Difference, Least, Greatest, Left, Right, Set, Multiply };
enum class Compare : std::uint8_t { None, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
enum class Second : std::uint8_t { None, Add, Least, Greatest };

// Part of a word: `bits` from bit `at`.
struct Part {
  std::uint8_t at = 0, bits = 32;
  bool whole() const { return bits == 32; }
};

struct Video {
  Action action = Action::Add;
  Compare compare = Compare::None;
  Second second = Second::None;
  bool signed_d = false, signed_a = false, signed_b = false, saturates = false, wraps = false,
       plus_one = false;
  std::uint8_t scale = 0;  // vmad: the product and its summand are shifted right by this
  Part d, a, b;
};
static_assert(std::is_trivially_copyable_v<Video>);
constexpr std::size_t kWords = (sizeof(Video) + sizeof(u32) - 1) / sizeof(u32);

s64 take(u32 word, Part part, bool is_signed) {
  const u64 field = (u64{word} >> part.at) & ((u64{1} << part.bits) - 1);
  const u64 sign = u64{1} << (part.bits - 1);
  return is_signed && (field & sign) != 0 ? static_cast<s64>(field) - static_cast<s64>(sign << 1)
                                          : static_cast<s64>(field);
}

s64 clamp_to(s64 value, unsigned bits, bool is_signed) {
  const s64 top = (s64{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp<s64>(value, is_signed ? -top - 1 : 0, top);
}

bool holds(Compare compare, s64 a, s64 b) {
  switch (compare) {
    case Compare::Equal:
      return a == b;
    case Compare::NotEqual:
      return a != b;
    case Compare::Less:
      return a < b;
    case Compare::LessEqual:
      return a <= b;
    case Compare::Greater:
      return a > b;
    default:
      return a >= b;
  }
}

s64 shift(const Video& v, s64 a, s64 b) {
  const s64 by = v.wraps ? b & 31 : std::min<s64>(b, 32);
  return v.action == Action::Left ? static_cast<s64>(static_cast<u64>(a) << by) : a >> by;
}

s64 first(const Video& v, s64 a, s64 b, u32 c) {
  switch (v.action) {
    case Action::Add:
      return a + b;
    case Action::Subtract:
      return a - b;
    case Action::Difference:
      return a > b ? a - b : b - a;
    case Action::Least:
      return std::min(a, b);
    case Action::Greatest:
      return std::max(a, b);
    case Action::Left:
    case Action::Right:
      return shift(v, a, b);
    case Action::Set:
      return holds(v.compare, a, b) ? 1 : 0;
    case Action::Multiply: {
      // The result is signed when a factor is; 32 x 32 + 32 bits fit the 65 that are needed.
      const bool is_signed = v.signed_a || v.signed_b;
      const __int128 sum = static_cast<__int128>(a) * b + take(c, {}, is_signed) + (v.plus_one ? 1 : 0);
      const __int128 scaled = sum >> v.scale;
      if (!v.saturates) return static_cast<s64>(scaled);
      const __int128 low = is_signed ? -(__int128{1} << 31) : 0;
      const __int128 high = is_signed ? (__int128{1} << 31) - 1 : (__int128{1} << 32) - 1;
      return static_cast<s64>(std::clamp(scaled, low, high));
    }
  }
  return 0;
}

u32 compute(const Video& v, u32 word_a, u32 word_b, u32 c) {
  s64 value = first(v, take(word_a, v.a, v.signed_a), take(word_b, v.b, v.signed_b), c);
  if (v.action == Action::Multiply) return static_cast<u32>(value);
  if (v.saturates) value = clamp_to(value, v.d.bits, v.signed_d);
  if (!v.d.whole()) {
    const u32 mask = ((u32{1} << v.d.bits) - 1) << v.d.at;
    return (c & ~mask) | (static_cast<u32>(value) << v.d.at & mask);
  }
  const s64 word = take(static_cast<u32>(value), {}, v.signed_d), other = take(c, {}, v.signed_d);
  switch (v.second) {
    case Second::Add:
      return static_cast<u32>(value) + c;
    case Second::Least:
      return static_cast<u32>(std::min(word, other));
    case Second::Greatest:
      return static_cast<u32>(std::max(word, other));
    default:
      return static_cast<u32>(value);
  }
}

void handler(const Op& op, Warp& warp, LaneMask mask) {
  Video v;
  std::memcpy(static_cast<void*>(&v), warp.lists + op.list, sizeof(v));
  u32 result[kWarpSize];
  const u32 *a = row<u32>(warp, op.a), *b = row<u32>(warp, op.b), *c = row<u32>(warp, op.c);
  for (unsigned l = 0; l < unsigned(kWarpSize); ++l) result[l] = compute(v, a[l], b[l], c[l]);
  write_lanes(row<u32>(warp, op.d), mask, false, [&](unsigned l) { return result[l]; });
}

std::optional<Part> part_of(const ptx::Operand& operand) {
  if (operand.kind != ptx::OperandKind::Register || operand.symbol.empty()) return Part{};
  const std::string& s = operand.symbol;
  if (s.size() != 2) return std::nullopt;
  const auto index = static_cast<std::uint8_t>(s[1] - '0');
  if (s[0] == 'b' && index < 4) return Part{static_cast<std::uint8_t>(8 * index), 8};
  if (s[0] == 'h' && index < 2) return Part{static_cast<std::uint8_t>(16 * index), 16};
  return std::nullopt;
}

std::optional<Action> action_of(const ptx::Form& form) {
  constexpr std::pair<ptx::Opcode, Action> kNames[] = {{ptx::Opcode::Vadd, Action::Add},
                                                       {ptx::Opcode::Vsub, Action::Subtract},
                                                       {ptx::Opcode::Vabsdiff, Action::Difference},
                                                       {ptx::Opcode::Vmin, Action::Least},
                                                       {ptx::Opcode::Vmax, Action::Greatest},
                                                       {ptx::Opcode::Vshl, Action::Left},
                                                       {ptx::Opcode::Vshr, Action::Right},
                                                       {ptx::Opcode::Vset, Action::Set},
                                                       {ptx::Opcode::Vmad, Action::Multiply}};
  for (const auto& [name, action] : kNames)
    if (form.opcode == name) return action;
  return std::nullopt;
}

Compare compare_of(const ptx::Form& form) {
  constexpr std::pair<ptx::Modifier, Compare> kNames[] = {
      {ptx::Modifier::Eq, Compare::Equal},   {ptx::Modifier::Ne, Compare::NotEqual},
      {ptx::Modifier::Lt, Compare::Less},    {ptx::Modifier::Le, Compare::LessEqual},
      {ptx::Modifier::Gt, Compare::Greater}, {ptx::Modifier::Ge, Compare::GreaterEqual}};
  for (const auto& [name, compare] : kNames)
    if (form.has(name)) return compare;
  return Compare::None;
}

bool is_word(Type type) {
  return type == Type::U32 || type == Type::S32;
}

// Forms in which the code of ptxas 13.0 does something else than the PTX description says (sums of an H200
// and the machine code differ from it): whoever uses them gets no answer rather than one of the two.
bool departs_from_ptx(const Video& v) {
  const bool half = v.d.bits == 16;
  if (half && (v.d.at != 0 || v.saturates)) return true;
  if (v.action == Action::Left && v.saturates) return true;
  return v.action == Action::Multiply && (v.scale != 0 || v.saturates) && !(v.signed_a && v.signed_b);
}

bool decode_video(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const auto action = action_of(form);
  if (!action || !context.count(in, 3, 4)) return false;
  Video v;
  v.action = *action;
  // vset names the operands' types alone; its result is unsigned.
  const bool sets = v.action == Action::Set;
  if (form.types.size() != (sets ? 2u : 3u) || !std::ranges::all_of(form.types, is_word)) return false;
  v.signed_d = !sets && form.types[0] == Type::S32;
  v.signed_a = form.types[sets ? 0 : 1] == Type::S32;
  v.signed_b = form.types[sets ? 1 : 2] == Type::S32;
  v.saturates = form.has(ptx::Modifier::Sat);
  v.compare = compare_of(form);
  if (sets != (v.compare != Compare::None)) return false;
  const bool shifts = v.action == Action::Left || v.action == Action::Right;
  v.wraps = form.has(ptx::Modifier::Wrap);
  if (shifts && (v.signed_b || v.wraps == form.has(ptx::Modifier::Clamp))) return false;
  v.second = form.has(ptx::Modifier::Add)   ? Second::Add
             : form.has(ptx::Modifier::Min) ? Second::Least
             : form.has(ptx::Modifier::Max) ? Second::Greatest
                                            : Second::None;
  v.plus_one = form.has(ptx::Modifier::Po);
  v.scale = form.has(ptx::Modifier::Shr7) ? 7 : form.has(ptx::Modifier::Shr15) ? 15 : 0;
  const auto d = part_of(in.operands[0]), a = part_of(in.operands[1]), b = part_of(in.operands[2]);
  if (!d || !a || !b) return false;
  v.d = *d;
  v.a = *a;
  v.b = *b;
  if (departs_from_ptx(v)) return false;
  const bool takes_c = v.action == Action::Multiply || v.second != Second::None || !v.d.whole();
  if (takes_c != (in.operands.size() == 4)) return false;
  op.d = destination_row(context, in.operands[0], Type::U32);
  op.a = source_row(context, in.operands[1], Type::U32);
  op.b = source_row(context, in.operands[2], Type::U32);
  op.c = takes_c ? source_row(context, in.operands[3], Type::U32) : context.constant(0, 4);
  std::vector<u32> list(kWords);
  std::memcpy(list.data(), &v, sizeof(v));
  op.list = context.list(list);
  op.set({&handler, &handler});
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Vadd, decode_video},     {ptx::Opcode::Vsub, decode_video},
                                    {ptx::Opcode::Vabsdiff, decode_video}, {ptx::Opcode::Vmin, decode_video},
                                    {ptx::Opcode::Vmax, decode_video},     {ptx::Opcode::Vshl, decode_video},
                                    {ptx::Opcode::Vshr, decode_video},     {ptx::Opcode::Vset, decode_video},
                                    {ptx::Opcode::Vmad, decode_video}};

}  // namespace

std::span<const OpcodeEntry> video_entries() {
  return kEntries;
}

}  // namespace warplens::simt
