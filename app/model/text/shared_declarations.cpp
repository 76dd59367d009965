#include "app/model/text/shared_declarations.h"

#include <algorithm>

#include "engine/source/constants.h"
#include "engine/source/lexer.h"

namespace warplens::model {
namespace {

using source::Token;
using source::TokenKind;
using source::Tokens;

// How many tokens a declaration may have: many unfinished ones would take quadratic time otherwise.
constexpr std::size_t kMostTokens = 500;

class DeclarationReader {
 public:
  DeclarationReader(const std::string& text, const std::vector<std::pair<std::string, std::string>>& defines,
                    std::string_view memory)
      : memory_(memory),
        tokens_(source::without_disabled(source::tokenize(text))),
        closing_(source::match_brackets(tokens_)) {
    for (const auto& [name, value] : defines) macros_.push_back(name + " " + (value.empty() ? "1" : value));
    for (const std::string& macro : macros_) constants_.define_macro(macro);
  }

  std::vector<SharedDeclaration> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& t = tokens_[i];
      if (t.kind == TokenKind::Directive)
        macro(t);
      else if (t.is("__global__") || t.is("__device__"))
        enter(i);
      else if (t.is("const") || t.is("constexpr"))
        constant(i);
      else if (t.is(memory_))
        declaration(i + 1);
    }
    return std::move(out_);
  }

 private:
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool is_name(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::Identifier; }
  std::size_t reach_from(std::size_t i) const { return std::min(tokens_.size(), i + kMostTokens); }
  std::size_t after_bracket(std::size_t i) const { return std::min(closing_[i], tokens_.size() - 1) + 1; }

  // What the command line defines, it defines before the text does; the text's #ifndef is its default.
  void macro(const Token& t) {
    const auto parts = source::split_directive(t.text);
    if (parts.word != "define") return;
    const std::string_view name = parts.rest.substr(0, parts.rest.find_first_of(" \t("));
    const bool given = std::any_of(macros_.begin(), macros_.end(), [&](const std::string& macro) {
      return std::string_view(macro).substr(0, macro.find(' ')) == name;
    });
    if (!given) constants_.define_macro(parts.rest);
  }

  // The name of a function is what stands before its parameters.
  void enter(std::size_t i) {
    for (const std::size_t reach = reach_from(i); i < reach; ++i) {
      if (is(i, ";") || is(i, "=") || is(i, "{")) return;
      if (!is_name(i) || !is(i + 1, "(")) continue;
      if (is(i, "__launch_bounds__") || is(i, "__align__") || is(i, "alignas") || is(i, "__maxnreg__")) {
        i = after_bracket(i + 1) - 1;
        continue;
      }
      function_ = tokens_[i].text;
      return;
    }
  }

  // const int TILE = 32;
  void constant(std::size_t i) {
    std::size_t equals = i;
    while (equals < tokens_.size() && equals < i + 6 && !is(equals, "=")) ++equals;
    if (!is(equals, "=") || !is_name(equals - 1)) return;
    const std::size_t reach = reach_from(equals);
    std::size_t end = equals + 1;
    while (end < reach && !is(end, ";")) ++end;
    if (const auto value = constants_.evaluate(Tokens(tokens_).subspan(equals + 1, end - equals - 1)))
      constants_.set(std::string(tokens_[equals - 1].text), *value);
  }

  void declaration(std::size_t i) {
    std::string type;
    const std::size_t reach = reach_from(i);
    // Words up to the first declarator, which is followed by [ ; , or =.
    for (; i < reach; ++i) {
      if (is(i, "__align__") || is(i, "alignas")) {
        if (is(i + 1, "(")) i = after_bracket(i + 1) - 1;
        continue;
      }
      if (is_name(i) && (is(i + 1, "[") || is(i + 1, ";") || is(i + 1, ",") || is(i + 1, "="))) break;
      if (is(i, ";") || is(i, "{")) return;
      if (is(i, "extern") || is(i, "volatile") || is(i, "static") || is(i, "const") || is(i, "__device__"))
        continue;
      if (!type.empty() && tokens_[i].kind == TokenKind::Identifier && is_name(i - 1)) type += ' ';
      type += tokens_[i].text;
    }
    while (i < reach && is_name(i)) {
      SharedDeclaration& d = out_.emplace_back();
      d.function = function_;
      d.name = tokens_[i].text;
      d.type = type;
      d.line = tokens_[i].line;
      d.begin = tokens_[i].begin;
      for (++i; is(i, "["); i = after_bracket(i)) {
        const std::size_t count = after_bracket(i) - i - 2;
        d.last_begin = tokens_[i].end();
        d.last_end = std::max(d.last_begin, tokens_[after_bracket(i) - 1].begin);
        const auto value = count <= kMostTokens ? constants_.evaluate(Tokens(tokens_).subspan(i + 1, count))
                                                : std::optional<source::Value>{};
        d.extents.push_back(value && value->whole() > 0 ? std::optional(value->whole()) : std::nullopt);
      }
      while (i < reach && !is(i, ",") && !is(i, ";")) ++i;
      if (is(i, ",")) ++i;
    }
  }

  std::string_view memory_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> closing_;
  std::vector<std::string> macros_;
  source::Constants constants_;
  std::string function_;
  std::vector<SharedDeclaration> out_;
};

}  // namespace

std::vector<SharedDeclaration> shared_declarations(
    const std::string& text, const std::vector<std::pair<std::string, std::string>>& defines) {
  return DeclarationReader(text, defines, "__shared__").run();
}

std::vector<SharedDeclaration> constant_declarations(
    const std::string& text, const std::vector<std::pair<std::string, std::string>>& defines) {
  return DeclarationReader(text, defines, "__constant__").run();
}

}  // namespace warplens::model
