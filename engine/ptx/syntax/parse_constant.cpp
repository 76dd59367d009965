#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "engine/ptx/syntax/parser_state.h"

namespace warplens::ptx {
namespace {

bool parse_digits(std::string_view digits, int base, std::uint64_t& out) {
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
  return problem == std::errc{} && end == digits.data() + digits.size() && !digits.empty();
}

// Integer literals: 42, 42U, 0x2A, 052, 0b101010.
bool parse_integer(std::string_view text, std::uint64_t& out) {
  if (text.ends_with('U') && text.size() > 1) text.remove_suffix(1);
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_digits(text.substr(2), 16, out);
  if (text.starts_with("0b") || text.starts_with("0B")) return parse_digits(text.substr(2), 2, out);
  if (text.size() > 1 && text[0] == '0') return parse_digits(text.substr(1), 8, out);
  return parse_digits(text, 10, out);
}

// 0f3F800000 and 0d3FF0000000000000: the bits in hexadecimal.
bool parse_float_bits(std::string_view text, Constant& out) {
  if (text.size() < 2 || text[0] != '0') return false;
  const bool single = text[1] == 'f' || text[1] == 'F';
  const bool wide = text[1] == 'd' || text[1] == 'D';
  if (text.size() != (single ? 10u : 18u) || !(single || wide)) return false;
  out.is_float = true;
  out.is_single = single;
  return parse_digits(text.substr(2), 16, out.bits);
}

bool parse_decimal(std::string_view text, Constant& out) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return false;
  if (problem == std::errc::result_out_of_range) {
    const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  out.is_float = true;
  out.is_single = false;
  out.bits = std::bit_cast<std::uint64_t>(value);
  return true;
}

void negate(Constant& constant) {
  if (!constant.is_float) {
    constant.bits = 0 - constant.bits;
  } else {
    constant.bits ^= constant.is_single ? 0x80000000u : std::uint64_t{1} << 63;
  }
}

struct BinaryOperator {
  std::string_view symbol;
  int precedence;
  std::uint64_t (*apply)(std::uint64_t, std::uint64_t);
};

std::int64_t as_signed(std::uint64_t v) {
  return static_cast<std::int64_t>(v);
}

std::uint64_t divide(std::uint64_t a, std::uint64_t b) {
  if (b == 0) return 0;
  if (b == ~std::uint64_t{0}) return 0 - a;
  return static_cast<std::uint64_t>(as_signed(a) / as_signed(b));
}

std::uint64_t remainder(std::uint64_t a, std::uint64_t b) {
  if (b == 0 || b == ~std::uint64_t{0}) return 0;
  return static_cast<std::uint64_t>(as_signed(a) % as_signed(b));
}

// Longer symbols first, so that "<<" is not read as "<". A single '|' never stands between constants that are
// operands, where it writes a pair of destinations; so it is safe here.
using U = std::uint64_t;
constexpr std::array<BinaryOperator, 18> kBinary{{
    {"<<", 8, [](U a, U b) { return b < 64 ? a << b : U{0}; }},
    {">>", 8, [](U a, U b) { return static_cast<U>(as_signed(a) >> (b < 64 ? b : 63)); }},
    {"<=", 7, [](U a, U b) { return U{as_signed(a) <= as_signed(b)}; }},
    {">=", 7, [](U a, U b) { return U{as_signed(a) >= as_signed(b)}; }},
    {"==", 6, [](U a, U b) { return U{a == b}; }},
    {"!=", 6, [](U a, U b) { return U{a != b}; }},
    {"&&", 2, [](U a, U b) { return U{a && b}; }},
    {"||", 1, [](U a, U b) { return U{a || b}; }},
    {"<", 7, [](U a, U b) { return U{as_signed(a) < as_signed(b)}; }},
    {">", 7, [](U a, U b) { return U{as_signed(a) > as_signed(b)}; }},
    {"*", 10, [](U a, U b) { return a * b; }},
    {"/", 10, divide},
    {"%", 10, remainder},
    {"+", 9, [](U a, U b) { return a + b; }},
    {"-", 9, [](U a, U b) { return a - b; }},
    {"&", 5, [](U a, U b) { return a & b; }},
    {"^", 4, [](U a, U b) { return a ^ b; }},
    {"|", 3, [](U a, U b) { return a | b; }},
}};

}  // namespace

bool Parser::parse_number(Constant& out) {
  out = {};
  const int column = (cursor_.peek(), cursor_.column());
  const int line = cursor_.line();
  const std::string_view text = cursor_.number();
  if (text.empty()) {
    if (cursor_.peek() == 'W' && cursor_.word() == "WARP_SZ") return out.bits = 32, true;
    return expected("number");
  }
  if (parse_integer(text, out.bits) || parse_float_bits(text, out)) return true;
  const bool decimal = text.find_first_of(".eE") != std::string_view::npos && !text.starts_with("0x");
  if (decimal && parse_decimal(text, out)) return true;
  return fail_at(line, column, {"ptx.large_number", {{"text", value_of(std::string(text.substr(0, 40)))}}});
}

bool Parser::parse_constant(Constant& out, int depth) {
  if (!parse_binary(out, 1, depth)) return false;
  if (!cursor_.accept('?')) return true;
  Constant yes, no;
  if (!parse_constant(yes, depth + 1) || !expect(':', "conditional")) return false;
  if (!parse_constant(no, depth + 1)) return false;
  out = out.bits != 0 ? yes : no;
  return true;
}

bool Parser::parse_binary(Constant& out, int precedence, int depth) {
  if (!parse_unary(out, depth)) return false;
  while (true) {
    const char next = cursor_.peek();
    const BinaryOperator* chosen = nullptr;
    for (const BinaryOperator& candidate : kBinary) {
      if (candidate.symbol[0] != next) continue;
      if (candidate.symbol.size() == 2 && cursor_.at(1) != candidate.symbol[1]) continue;
      chosen = &candidate;
      break;
    }
    if (chosen == nullptr || chosen->precedence < precedence) return true;
    if (out.is_float) return fail("floating_operator");
    cursor_.accept(chosen->symbol);
    Constant right;
    if (!parse_binary(right, chosen->precedence + 1, depth + 1)) return false;
    if (right.is_float) return fail("floating_operator");
    out.bits = chosen->apply(out.bits, right.bits);
  }
}

bool Parser::parse_unary(Constant& out, int depth) {
  if (depth > kMaxNesting) return fail("deep_constant");
  if (cursor_.accept('-')) {
    if (!parse_unary(out, depth + 1)) return false;
    negate(out);
    return true;
  }
  if (cursor_.accept('+')) return parse_unary(out, depth + 1);
  if (cursor_.peek() == '~' || (cursor_.peek() == '!' && cursor_.at(1) != '=')) {
    const bool complement = cursor_.accept('~');
    if (!complement) cursor_.accept('!');
    if (!parse_unary(out, depth + 1)) return false;
    if (out.is_float) return fail("floating_operator");
    out.bits = complement ? ~out.bits : U{out.bits == 0};
    return true;
  }
  if (cursor_.accept('(')) {
    const std::string_view cast = cursor_.directive();  // (.s64) and (.u64) change nothing in 64 bits
    if (cast == ".s64" || cast == ".u64") return expect(')', "cast") && parse_unary(out, depth + 1);
    if (!cast.empty()) return fail("cast", {{"found", value_of(std::string(cast))}});
    return parse_constant(out, depth + 1) && expect(')', "constant");
  }
  return parse_number(out);
}

// No expression: the '>' of %r<10> is no operator.
bool Parser::parse_count(std::uint64_t& out, std::uint64_t limit) {
  Constant constant;
  if (!parse_number(constant)) return false;
  out = constant.bits;
  return (!constant.is_float && out <= limit) || fail("count", {{"most", value_of(limit)}});
}

bool Parser::parse_unsigned(std::uint64_t& out, std::uint64_t limit, std::string_view what) {
  Constant constant;
  const int column = (cursor_.peek(), cursor_.column());
  const int line = cursor_.line();
  if (!parse_constant(constant)) return false;
  if (constant.is_float || constant.bits > limit) {
    return fail_at(
        line, column,
        {"ptx.integer",
         {{"what", value_of(Key{"ptx.integer_of." + std::string(what)})}, {"most", value_of(limit)}}});
  }
  out = constant.bits;
  return true;
}

}  // namespace warplens::ptx
