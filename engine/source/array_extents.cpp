#include "engine/source/array_extents.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/source/constants.h"
#include "engine/source/lexer.h"

namespace warplens::source {

namespace {

constexpr std::size_t kLongestDeclaration = 64;  // tokens in front of the name
constexpr std::int64_t kLargestExtent = 1024;    // of those that are tried

using Dimensions = std::vector<Tokens>;  // the tokens between [ and ]

// #define, and  constexpr int T = 16;
void learn(const std::vector<Token>& tokens, Constants& constants) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::Directive) {
      const DirectiveParts parts = split_directive(tokens[i].text);
      if (parts.word == "define") constants.define_macro(parts.rest);
      continue;
    }
    if (!tokens[i].is("=") || i < 2 || tokens[i - 1].kind != TokenKind::Identifier) continue;
    const std::size_t least = i - std::min<std::size_t>(i, 6);
    bool constant = false;
    for (std::size_t k = i - 1; k-- > least && !tokens[k].is(";") && !tokens[k].is("}");)
      constant = constant || tokens[k].is("const") || tokens[k].is("constexpr");
    if (!constant) continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is(",")) ++end;
    if (const auto value = constants.evaluate(Tokens(tokens).subspan(i + 1, end - i - 1)))
      constants.set(std::string(tokens[i - 1].text), *value);
  }
}

// Does a declaration of memory for all threads reach up to this token?
bool is_declared_at(const std::vector<Token>& tokens, std::size_t at) {
  for (std::size_t k = at; k-- > at - std::min(at, kLongestDeclaration);) {
    const Token& token = tokens[k];
    if (token.is(";") || token.is("{") || token.is("}")) return false;
    if (token.is("__shared__") || token.is("__device__") || token.is("__constant__")) return true;
  }
  return false;
}

Dimensions dimensions_at(const std::vector<Token>& tokens, const std::vector<std::size_t>& closing,
                         std::size_t at) {
  Dimensions found;
  while (at < tokens.size() && tokens[at].is("[") && closing[at] < tokens.size()) {
    found.push_back(Tokens(tokens).subspan(at + 1, closing[at] - at - 1));
    at = closing[at] + 1;
  }
  return found;
}

// Their values when each is known and at least 1.
std::vector<std::uint64_t> values_of(const Dimensions& dimensions, const Constants& constants) {
  std::vector<std::uint64_t> extents;
  for (const Tokens& tokens : dimensions) {
    const auto value = constants.evaluate(tokens);
    if (!value || value->floating || value->integer < 1 || value->integer > (std::int64_t{1} << 32))
      return {};
    extents.push_back(static_cast<std::uint64_t>(value->integer));
  }
  return extents;
}

// Bytes of one element when they fill the array; 0: they do not.
std::uint64_t element_bytes(const std::vector<std::uint64_t>& extents, std::uint64_t bytes) {
  std::uint64_t left = bytes;
  for (const std::uint64_t extent : extents) {
    if (left % extent != 0) return 0;
    left /= extent;
  }
  return extents.empty() ? 0 : left;
}

std::optional<std::string> only_unknown(const Dimensions& dimensions, const Constants& constants) {
  std::set<std::string> unknown;
  for (const Tokens& tokens : dimensions)
    for (const Token& token : tokens)
      if (token.kind == TokenKind::Identifier && !constants.knows(std::string(token.text)))
        unknown.emplace(token.text);
  return unknown.size() == 1 ? std::optional(*unknown.begin()) : std::nullopt;
}

std::vector<std::uint64_t> solve(const Dimensions& dimensions, Constants constants, std::uint64_t bytes,
                                 std::uint64_t width) {
  if (const auto extents = values_of(dimensions, constants); !extents.empty()) {
    const std::uint64_t each = element_bytes(extents, bytes);
    return each != 0 && each <= 16 && each % width == 0 ? extents : std::vector<std::uint64_t>();
  }
  const auto name = only_unknown(dimensions, constants);
  if (!name) return {};
  for (std::int64_t value = 1; value <= kLargestExtent; ++value) {
    constants.set(*name, {false, value, 0.0});
    const auto extents = values_of(dimensions, constants);
    if (element_bytes(extents, bytes) == width) return extents;
  }
  return {};
}

}  // namespace

std::vector<std::uint64_t> extents_of_array(std::string_view text, std::span<const Define> defines,
                                            std::string_view name, std::uint64_t bytes, std::uint64_t width) {
  if (bytes == 0 || width == 0) return {};
  const std::vector<Token> tokens = without_disabled(tokenize(text));
  const std::vector<std::size_t> closing = match_brackets(tokens);
  std::vector<std::string> macros;
  for (const auto& [macro, value] : defines) macros.push_back(macro + " " + value);
  Constants constants;
  for (const std::string& macro : macros) constants.define_macro(macro);
  learn(tokens, constants);
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text != name || !tokens[i + 1].is("[") || !is_declared_at(tokens, i)) continue;
    const Dimensions dimensions = dimensions_at(tokens, closing, i + 1);
    if (dimensions.size() < 2) continue;
    std::vector<std::uint64_t> extents = solve(dimensions, constants, bytes, width);
    if (extents.empty() || extents == found) continue;
    if (!found.empty()) return {};
    found = std::move(extents);
  }
  return found;
}

}  // namespace warplens::source
