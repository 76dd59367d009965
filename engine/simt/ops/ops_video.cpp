// The packed video instructions (vadd2, vabsdiff4, vset4 ...): two 16-bit or four 8-bit elements a register,
// with saturation, or with the elements' sum added to c. Element selections and masks are not decoded.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

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

// What tells the forms of an opcode apart, as Op::imm holds it: one handler for all of them is a loop that
// asks, not 240 that the compiler unrolls; these instructions are rare.
struct Elements {
  bool byte;  // four elements of 8 bits, else two of 16
  bool signed_d, signed_a, signed_b;
  After after;
};
static_assert(sizeof(Elements) <= sizeof(Op::imm));

s32 element(u32 word, int at, const Elements& form, bool is_signed) {
  const u32 bits = word >> at;
  if (form.byte) return is_signed ? s32{static_cast<s8>(bits)} : s32{static_cast<u8>(bits)};
  return is_signed ? s32{static_cast<s16>(bits)} : s32{static_cast<u16>(bits)};
}

template <auto F>
u32 packed(u32 a, u32 b, u32 c, const Elements& form) {
  const int bits = form.byte ? 8 : 16;
  const s32 range = 1 << bits;
  const s32 least = form.signed_d ? -range / 2 : 0;
  u32 result = 0, sum = c;
  for (int i = 0; i < 32; i += bits) {
    s32 value = F(element(a, i, form, form.signed_a), element(b, i, form, form.signed_b));
    if (form.after == After::Saturate) value = std::clamp(value, least, least + range - 1);
    sum += static_cast<u32>(value);
    result |= (static_cast<u32>(value) & static_cast<u32>(range - 1)) << i;
  }
  return form.after == After::Sum ? sum : result;
}

template <auto F>
void packed_handler(const Op& op, Warp& warp, LaneMask mask) {
  Elements form;
  std::memcpy(&form, &op.imm, sizeof form);
  const u32* const a = row<u32>(warp, op.a);
  const u32* const b = row<u32>(warp, op.b);
  const u32* const c = row<u32>(warp, op.c);
  u32* const d = row<u32>(warp, op.d);
  for_each_lane(mask, [&](unsigned l) { d[l] = packed<F>(a[l], b[l], c[l], form); });
}

template <auto F>
void add_form(FormTable& table, const std::string& text, Elements form, After after) {
  form.after = after;
  std::uint64_t imm = 0;
  std::memcpy(&imm, &form, sizeof form);
  table.add(text, both(&packed_handler<F>), Type::U32, std::vector<Type>(3, Type::U32), imm);
}

const char* type_text(bool is_signed) {
  return is_signed ? ".s32" : ".u32";
}

template <auto F>
void add_both(FormTable& table, const std::string& opcode) {
  for (const bool byte : {true, false}) {
    for (const auto& [d, ab] : {std::pair{false, false}, {true, true}, {false, true}, {true, false}}) {
      const Elements form{.byte = byte, .signed_d = d, .signed_a = ab, .signed_b = ab, .after = {}};
      const std::string text = opcode + (byte ? "4" : "2") + type_text(d) + type_text(ab) + type_text(ab);
      add_form<F>(table, text, form, After::Keep);
      add_form<F>(table, text + ".sat", form, After::Saturate);
      add_form<F>(table, text + ".add", form, After::Sum);
    }
  }
}

// The elements of a comparison are 1 where it holds, else 0.
template <auto F>
void add_comparison(FormTable& table, const std::string& name) {
  for (const bool byte : {true, false}) {
    for (const auto& [a, b] : {std::pair{false, false}, {true, true}, {false, true}, {true, false}}) {
      const Elements form{.byte = byte, .signed_d = false, .signed_a = a, .signed_b = b, .after = {}};
      const std::string text = std::string("vset") + (byte ? "4" : "2") + type_text(a) + type_text(b) + name;
      add_form<F>(table, text, form, After::Keep);
      add_form<F>(table, text + ".add", form, After::Sum);
    }
  }
}

}  // namespace

void add_video_forms(FormTable& table) {
  add_both<kAdd>(table, "vadd");
  add_both<kSubtract>(table, "vsub");
  add_both<kAverage>(table, "vavrg");
  add_both<kDifference>(table, "vabsdiff");
  add_both<kLeast>(table, "vmin");
  add_both<kGreatest>(table, "vmax");
  add_comparison<kEqual>(table, ".eq");
  add_comparison<kDifferent>(table, ".ne");
  add_comparison<kLess>(table, ".lt");
  add_comparison<kAtMost>(table, ".le");
  add_comparison<kMore>(table, ".gt");
  add_comparison<kAtLeast>(table, ".ge");
}

}  // namespace warplens::simt
