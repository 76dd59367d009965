#include "engine/ptx/syntax/opcode.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace warplens::ptx {
namespace {

struct OpcodeRow {
  std::string_view text;
  Effects effects;
};

constexpr OpcodeRow kOpcodes[] = {
    {},
#define OPCODE(name, text, version, ...) {text, Effects{.since = version __VA_OPT__(, ) __VA_ARGS__}},
#include "engine/ptx/syntax/opcodes.inc"
#undef OPCODE
};

constexpr std::string_view kModifiers[] = {
    "",
#define MODIFIER(name, text) text,
#include "engine/ptx/syntax/modifiers.inc"
#undef MODIFIER
};

constexpr std::string_view text_of(const OpcodeRow& row) {
  return row.text;
}
constexpr std::string_view text_of(std::string_view text) {
  return text;
}

// The rows of a table in the order of their texts, for the look-up of a text.
template <typename Row, std::size_t N>
constexpr std::array<std::uint8_t, N> sorted(const Row (&rows)[N]) {
  static_assert(N <= 256);
  std::array<std::uint8_t, N> order{};
  for (std::size_t i = 0; i < N; ++i) order[i] = static_cast<std::uint8_t>(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint8_t a, std::uint8_t b) { return text_of(rows[a]) < text_of(rows[b]); });
  return order;
}

constexpr auto kOpcodeOrder = sorted(kOpcodes);
constexpr auto kModifierOrder = sorted(kModifiers);

// The row of a text; 0, which is Unknown, when there is none.
template <typename Row, std::size_t N>
std::uint8_t find(const Row (&rows)[N], const std::array<std::uint8_t, N>& order, std::string_view text) {
  const auto at = std::lower_bound(
      order.begin(), order.end(), text,
      [&](std::uint8_t row, std::string_view wanted) { return text_of(rows[row]) < wanted; });
  return at != order.end() && text_of(rows[*at]) == text ? *at : std::uint8_t{0};
}

}  // namespace

const Effects& effects_of(Opcode opcode) {
  return kOpcodes[static_cast<std::size_t>(opcode)].effects;
}

std::vector<Opcode> all_opcodes() {
  std::vector<Opcode> out;
  for (std::size_t i = 1; i < std::size(kOpcodes); ++i) out.push_back(static_cast<Opcode>(i));
  return out;
}

std::string_view name(Opcode opcode) {
  return kOpcodes[static_cast<std::size_t>(opcode)].text;
}

std::string_view name(Modifier modifier) {
  return kModifiers[static_cast<std::size_t>(modifier)];
}

Opcode opcode_from_name(std::string_view text) {
  return static_cast<Opcode>(find(kOpcodes, kOpcodeOrder, text));
}

Modifier modifier_from_name(std::string_view text) {
  return static_cast<Modifier>(find(kModifiers, kModifierOrder, text));
}

}  // namespace warplens::ptx
