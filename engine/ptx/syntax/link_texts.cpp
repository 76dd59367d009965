#include "engine/ptx/syntax/link_texts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

namespace warplens::ptx {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

// What stands at the top of a text: a directive, a variable, a function.
struct Statement {
  std::string_view text;
  std::string name;  // empty: it names nothing that links
  bool is_extern = false, is_weak = false, is_visible = false, has_body = false;
  bool defines() const { return !name.empty() && !is_extern && has_body; }
  bool is_local() const { return defines() && !is_weak && !is_visible; }
};

// Walks over a text without looking into comments and strings.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool next(Statement& out);

 private:
  char at() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  bool skip_quoted_or_comment();
  void skip_space();
  void skip_statement(bool is_function, Statement& out);
  void read_words(Statement& out, bool& is_function) const;

  std::string_view text_;
  std::size_t at_ = 0;
};

bool Scanner::skip_quoted_or_comment() {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("//")) return skip_line(), true;
  if (rest.starts_with("/*")) {
    const std::size_t end = text_.find("*/", at_ + 2);
    return at_ = end == std::string_view::npos ? text_.size() : end + 2, true;
  }
  if (!rest.starts_with('"')) return false;
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
  return at_ = std::min(at_ + 1, text_.size()), true;
}

void Scanner::skip_space() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
    else if (text_[at_] == '"' || !skip_quoted_or_comment())
      return;
  }
}

// To the ';' that ends a declaration or a variable, or behind the body of a function.
void Scanner::skip_statement(bool is_function, Statement& out) {
  int depth = 0;
  out.has_body = !is_function;  // a variable that is not extern is defined
  while (at_ < text_.size()) {
    if (skip_quoted_or_comment()) continue;
    const char c = text_[at_++];
    if (c == '{') ++depth;
    out.has_body |= c == '{';
    if (c == '}' && --depth <= 0 && is_function) return;
    if (c == ';' && depth == 0) return;
  }
}

// Linkage and name, of the words in front of a body or an initial value.
void Scanner::read_words(Statement& out, bool& is_function) const {
  int round = 0;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '(') ++round;
    if (c == ')') --round;
    if (c == '(' && is_function && !out.name.empty()) return;
    if (c == ';' || c == '{' || c == '=' || c == '[') return;
    const bool starts = (is_word(c) || c == '.') && (i == 0 || !is_word(text_[i - 1]));
    if (!starts || round > 0) continue;
    std::size_t end = i + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(i, end - i);
    out.is_extern |= word == ".extern";
    out.is_weak |= word == ".weak" || word == ".common";
    out.is_visible |= word == ".visible";
    is_function |= word == ".func" || word == ".entry";
    if (c != '.' && std::isdigit(static_cast<unsigned char>(c)) == 0) out.name = word;
    i = end - 1;
  }
}

bool Scanner::next(Statement& out) {
  skip_space();
  if (at_ >= text_.size()) return false;
  out = {};
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(at_);
  static constexpr std::string_view kLines[] = {".version", ".target", ".address_size",
                                                ".file",    ".loc",    "@@"};
  if (std::ranges::any_of(kLines, [&](std::string_view word) { return rest.starts_with(word); })) {
    skip_line();
  } else if (rest.starts_with(".section")) {
    skip_statement(true, out);
    out.has_body = false;
  } else {
    bool is_function = false;
    read_words(out, is_function);
    skip_statement(is_function, out);
  }
  out.text = text_.substr(begin, at_ - begin);
  return true;
}

std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> out;
  Scanner scanner(text);
  for (Statement one; scanner.next(one);) out.push_back(one);
  return out;
}

// What changes in the words of one file.
struct Renaming {
  std::map<std::string, std::string, std::less<>> names;
  std::string strings;  // in front of the labels of .debug_str
  int first_file = 0;   // added to the numbers of files
};

// A number behind white space, moved.
std::size_t move_number(std::string_view text, std::size_t at, int by, std::string& out) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) out += text[at++];
  int number = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (read.ec != std::errc{}) return at;
  out += std::to_string(number + by);
  return static_cast<std::size_t>(read.ptr - text.data());
}

void append(std::string_view text, const Renaming& how, std::string& out) {
  static constexpr std::string_view kLabel = "$L__info_string";
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const std::size_t end = std::min(text.find('"', at + 1), text.size() - 1);
      out += text.substr(at, end + 1 - at);
      at = end + 1;
      continue;
    }
    if (!is_word(text[at]) && text[at] != '.') {
      out += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (const auto renamed = how.names.find(word); renamed != how.names.end()) {
      out += renamed->second;
    } else if (word.starts_with(kLabel)) {
      out += how.strings;
      out += word;
    } else {
      out += word;
      if (word == ".loc" || word == ".file" || word == "inlined_at")
        at = move_number(text, at, how.first_file, out);
    }
  }
  out += '\n';
}

int files_of(const std::vector<Statement>& statements) {
  int most = 0;
  for (const Statement& one : statements) {
    if (!one.text.starts_with(".file")) continue;
    int number = 0;
    const std::size_t at = one.text.find_first_of("0123456789");
    if (at == std::string_view::npos) continue;
    std::from_chars(one.text.data() + at, one.text.data() + one.text.size(), number);
    most = std::max(most, number);
  }
  return most;
}

}  // namespace

std::string link_texts(const std::vector<std::string>& texts) {
  std::vector<std::vector<Statement>> files;
  std::map<std::string, std::set<std::size_t>> named_in;
  for (const std::string& text : texts) {
    files.push_back(statements_of(text));
    for (const Statement& one : files.back())
      if (!one.name.empty()) named_in[one.name].insert(files.size() - 1);
  }
  std::string out;
  std::set<std::string> defined;
  int first_file = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Renaming how;
    how.first_file = first_file;
    if (i > 0) how.strings = "$file" + std::to_string(i);
    for (const Statement& one : files[i])
      if (one.is_local() && named_in[one.name].size() > 1)
        how.names[one.name] = one.name + "$" + std::to_string(i);
    for (const Statement& one : files[i]) {
      const bool heads = one.text.starts_with(".version") || one.text.starts_with(".target") ||
                         one.text.starts_with(".address_size");
      if (heads && i > 0) continue;
      if (one.defines() && !one.is_local() && !defined.insert(one.name).second) continue;
      append(one.text, how, out);
    }
    first_file += files_of(files[i]);
  }
  return out;
}

}  // namespace warplens::ptx
