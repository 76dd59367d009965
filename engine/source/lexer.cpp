#include "engine/source/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "engine/source/reading_limit.h"

namespace warplens::source {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      reading_step();
      const char c = text_[at_];
      if (c == '\n') {
        ++at_, ++line_;
        line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        ++at_;
      } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
        skip_comment();
      } else {
        token(c);
        line_start_ = false;
      }
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  void skip_comment() {
    if (peek(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') {
        if (text_[at_] == '\\' && peek(1) == '\n') ++at_, ++line_;
        ++at_;
      }
      return;
    }
    at_ += 2;
    while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/')) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
    at_ = std::min(at_ + 2, text_.size());
  }

  void token(char c) {
    begin_ = at_;
    begin_line_ = line_;
    if (c == '#' && line_start_) return directive();
    if (std::size_t prefix = raw_string_prefix(); prefix > 0) return raw_string(prefix);
    if (starts_identifier(c)) {
      while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
      return emit(TokenKind::Identifier);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0))
      return number();
    if (c == '"' || c == '\'') return quoted(c);
    punctuation();
  }

  void directive() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (text_[at_] == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += peek(1) == '\n' ? 2 : 3;
        ++line_;
      } else if (text_[at_] == '/' && peek(1) == '/') {
        break;
      } else if (text_[at_] == '/' && peek(1) == '*') {
        skip_comment();
      } else if (text_[at_] == '"') {
        skip_quoted('"');
      } else {
        ++at_;
      }
    }
    emit(TokenKind::Directive);
  }

  // Length of R" or u8R" and the like, 0 when this is no raw string.
  std::size_t raw_string_prefix() const {
    for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""})
      if (text_.substr(at_, prefix.size()) == prefix) return prefix.size();
    return 0;
  }

  void raw_string(std::size_t prefix) {
    const std::size_t open = text_.find('(', at_ + prefix);
    if (open == std::string_view::npos || open - at_ - prefix > 16) {
      ++at_;
      return emit(TokenKind::Identifier);
    }
    const std::string close = ")" + std::string(text_.substr(at_ + prefix, open - at_ - prefix)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    for (std::size_t i = begin_; i < at_; ++i)
      if (text_[i] == '\n') ++line_;
    emit(TokenKind::String);
  }

  void number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = at_ > begin_ ? text_[at_ - 1] : '\0';
      const bool exponent_sign = (c == '+' || c == '-') && at_ > begin_ &&
                                 (before == 'e' || before == 'E' || before == 'p' || before == 'P') &&
                                 !is_hex_without_point(begin_);
      const bool separator = c == '\'' && std::isalnum(static_cast<unsigned char>(peek(1))) != 0;
      if (!continues_identifier(c) && c != '.' && !exponent_sign && !separator) break;
      ++at_;
    }
    emit(TokenKind::Number);
  }
  // 0xE+1 is a sum: an exponent of a hexadecimal number is written with p.
  bool is_hex_without_point(std::size_t begin) const {
    if (text_[begin] != '0' || begin + 1 >= text_.size()) return false;
    if (text_[begin + 1] != 'x' && text_[begin + 1] != 'X') return false;
    const char before = text_[at_ - 1];
    return before == 'e' || before == 'E';
  }

  void skip_quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        if (text_[at_ + 1] == '\n') ++line_;
        ++at_;
      }
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    at_ = std::min(at_, text_.size());
  }
  void quoted(char quote) {
    skip_quoted(quote);
    emit(quote == '"' ? TokenKind::String : TokenKind::Character);
  }

  void punctuation() {
    static constexpr std::array<std::string_view, 12> kLong = {"<<<", ">>>", "::", "->", "<<", ">>",
                                                               "==",  "!=",  "<=", ">=", "&&", "||"};
    for (const std::string_view p : kLong)
      if (text_.substr(at_, p.size()) == p) {
        at_ += p.size();
        return emit(TokenKind::Punctuation);
      }
    ++at_;
    emit(TokenKind::Punctuation);
  }

  void emit(TokenKind kind) {
    tokens_.push_back({kind, text_.substr(begin_, at_ - begin_), begin_, begin_line_});
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  int line_ = 1, begin_line_ = 1;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

DirectiveParts split_directive(std::string_view directive) {
  std::size_t i = 1;
  while (i < directive.size() && (directive[i] == ' ' || directive[i] == '\t')) ++i;
  const std::size_t word = i;
  while (i < directive.size() && continues_identifier(directive[i])) ++i;
  const std::size_t word_end = i;
  while (i < directive.size() && std::isspace(static_cast<unsigned char>(directive[i])) != 0) ++i;
  std::size_t end = directive.size();
  while (end > i && std::isspace(static_cast<unsigned char>(directive[end - 1])) != 0) --end;
  return {directive.substr(word, word_end - word), directive.substr(i, end - i)};
}

std::vector<Token> without_disabled(std::vector<Token> tokens) {
  std::vector<Token> kept;
  int nested = 0;  // #if levels inside the disabled region; 0 outside of one
  for (Token& token : tokens) {
    if (token.kind == TokenKind::Directive) {
      const auto [word, rest] = split_directive(token.text);
      const bool opens = word.substr(0, 2) == "if";
      const bool ends = word == "endif" || (nested == 1 && (word == "else" || word.substr(0, 4) == "elif"));
      if (nested > 0 && opens) ++nested;
      if (nested > 0 && ends) --nested;
      if (nested == 0 && opens && word == "if" && rest == "0") {
        nested = 1;
        kept.push_back(token);
        continue;
      }
    }
    if (nested == 0) kept.push_back(token);
  }
  return kept;
}

std::vector<std::size_t> match_brackets(const std::vector<Token>& tokens) {
  std::vector<std::size_t> match(tokens.size(), tokens.size());
  std::vector<std::size_t> open;
  std::vector<std::vector<std::size_t>> at_if;  // what was open at each enclosing #if
  // Opened in a branch that an #else replaced: closed together with its counterpart of the same depth.
  std::vector<std::pair<std::size_t, std::size_t>> twins;
  const auto opener_of = [](char close) { return close == ')' ? '(' : close == ']' ? '[' : '{'; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    reading_step();
    const Token& token = tokens[i];
    if (token.kind == TokenKind::Directive) {
      const std::string_view word = split_directive(token.text).word;
      if (word.substr(0, 2) == "if") {
        at_if.push_back(open);
      } else if (word == "else" || word.substr(0, 4) == "elif") {
        if (at_if.empty()) continue;
        for (std::size_t d = at_if.back().size(); d < open.size(); ++d) twins.emplace_back(d, open[d]);
        open = at_if.back();
      } else if (word == "endif" && !at_if.empty()) {
        at_if.pop_back();
      }
      continue;
    }
    if (token.kind != TokenKind::Punctuation || token.text.size() != 1) continue;
    const char c = token.text[0];
    if (c == '(' || c == '[' || c == '{') {
      open.push_back(i);
    } else if (c == ')' || c == ']' || c == '}') {
      // A stray closer closes nothing; a missing one is made up for by the next enclosing bracket.
      std::size_t depth = open.size();
      while (depth > 0 && tokens[open[depth - 1]].text[0] != opener_of(c)) --depth;
      if (depth == 0) continue;
      match[open[depth - 1]] = i;
      open.resize(depth - 1);
      std::erase_if(twins, [&](const auto& twin) {
        if (twin.first != depth - 1 || tokens[twin.second].text[0] != opener_of(c)) return false;
        match[twin.second] = i;
        return true;
      });
    }
  }
  return match;
}

}  // namespace warplens::source
