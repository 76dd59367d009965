#include "engine/source/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/base/work_limit.h"

namespace warplens::source {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

constexpr std::size_t kTokensBetweenLooks = 4096;
// Measured: the highest that reading texts of 20 MB came to, with all that is made of a token.
constexpr std::size_t kBytesAToken = 160;

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      work_step();
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
    if (std::string_view("RLuU").find(text_[at_]) == std::string_view::npos) return 0;
    for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""})
      if (text_.substr(at_, prefix.size()) == prefix) return prefix.size();
    return 0;
  }

  void raw_string(std::size_t prefix) {
    constexpr std::size_t kLongestDelimiter = 16;
    const std::size_t length = text_.substr(at_ + prefix, kLongestDelimiter + 1).find('(');
    if (length == std::string_view::npos) {
      ++at_;
      return emit(TokenKind::Identifier);
    }
    const std::size_t open = at_ + prefix + length;
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
    const bool may_be_long = std::string_view("<>:=&|").find(peek(1)) != std::string_view::npos;
    for (const std::string_view p : kLong)
      if (may_be_long && text_.substr(at_, p.size()) == p) {
        at_ += p.size();
        return emit(TokenKind::Punctuation);
      }
    ++at_;
    emit(TokenKind::Punctuation);
  }

  void emit(TokenKind kind) {
    if (tokens_.size() % kTokensBetweenLooks == 0) work_holds(tokens_.size() * kBytesAToken);
    tokens_.push_back({text_.substr(begin_, at_ - begin_), begin_, begin_line_, kind});
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  int line_ = 1, begin_line_ = 1;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_attribute(std::string_view word) {
  static const std::set<std::string_view> kAttributes = {
      "__launch_bounds__", "alignas",  "__align__", "__attribute__",    "decltype",    "noexcept",
      "__declspec",        "explicit", "requires",  "__cluster_dims__", "__maxnreg__", "__block_size__"};
  return kAttributes.contains(word);
}

bool is_compound(std::string_view operation) {
  static const std::set<std::string_view> kOperations = {"+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^"};
  return kOperations.contains(operation);
}

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

namespace {

// The brackets that are open, as a list from the innermost outwards: what was open at an #if is kept as a
// place in it, however many brackets that are.
class OpenBrackets {
 public:
  static constexpr std::size_t kNothing = 0;
  struct Open {
    std::size_t token = 0, outer = kNothing, depth = 0;
    std::array<std::size_t, 3> nearest{};  // the innermost open bracket of each sort, this one included
  };

  std::size_t innermost() const { return innermost_; }
  const Open& at(std::size_t bracket) const { return brackets_[bracket]; }
  // 0, 1, 2 for round, square and curly brackets.
  static std::size_t sort_of(char c) { return c == '(' || c == ')' ? 0 : c == '[' || c == ']' ? 1 : 2; }

  void push(std::size_t token, std::size_t sort) {
    Open added = brackets_[innermost_];
    added.token = token;
    added.outer = innermost_;
    ++added.depth;
    innermost_ = brackets_.size();
    added.nearest[sort] = innermost_;
    brackets_.push_back(added);
  }
  void back_to(std::size_t bracket) { innermost_ = bracket; }

 private:
  std::vector<Open> brackets_{1};  // the first stands for none
  std::size_t innermost_ = kNothing;
};

}  // namespace

std::vector<std::size_t> match_brackets(const std::vector<Token>& tokens) {
  std::vector<std::size_t> match(tokens.size(), tokens.size());
  OpenBrackets open;
  std::vector<std::size_t> at_if;  // what was open at each enclosing #if
  // Tokens opened in a branch that an #else replaced, by depth and sort: closed together with their
  // counterpart there.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> twins;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    work_step();
    const Token& token = tokens[i];
    if (token.kind == TokenKind::Directive) {
      const std::string_view word = split_directive(token.text).word;
      if (word.substr(0, 2) == "if") {
        at_if.push_back(open.innermost());
      } else if (word == "else" || word.substr(0, 4) == "elif") {
        if (at_if.empty()) continue;
        const std::size_t before = open.at(at_if.back()).depth;
        for (std::size_t b = open.innermost(); open.at(b).depth > before; b = open.at(b).outer) {
          const std::size_t opener = open.at(b).token;
          twins[{open.at(b).depth, OpenBrackets::sort_of(tokens[opener].text[0])}].push_back(opener);
        }
        open.back_to(at_if.back());
      } else if (word == "endif" && !at_if.empty()) {
        at_if.pop_back();
      }
      continue;
    }
    if (token.kind != TokenKind::Punctuation || token.text.size() != 1) continue;
    const char c = token.text[0];
    const std::size_t sort = OpenBrackets::sort_of(c);
    if (c == '(' || c == '[' || c == '{') {
      open.push(i, sort);
    } else if (c == ')' || c == ']' || c == '}') {
      // A stray closer closes nothing; a missing one is made up for by the next enclosing bracket.
      const std::size_t closed = open.at(open.innermost()).nearest[sort];
      if (closed == OpenBrackets::kNothing) continue;
      match[open.at(closed).token] = i;
      open.back_to(open.at(closed).outer);
      if (const auto others = twins.find({open.at(closed).depth, sort}); others != twins.end()) {
        for (const std::size_t other : others->second) match[other] = i;
        twins.erase(others);
      }
    }
  }
  return match;
}

}  // namespace warplens::source
