#include "engine/base/toml.h"

#include <fmt/format.h>

#include <optional>

#include "engine/base/assets.h"
#include "engine/base/message.h"

namespace warplens {
namespace {

constexpr std::size_t kMostTomlBytes = std::size_t{16} << 20;
constexpr int kMostParts = 64;  // of a dotted key
constexpr int kDeepest = 64;    // brackets inside of brackets

// The catalogues are TOML themselves: what is wrong with one cannot be looked up in it, so that English
// stands here as well.
Error wrong(std::string english, Message said, Place place) {
  return {ErrorKind::Usage,
          std::move(english),
          std::move(place),
          {},
          std::make_shared<const Message>(std::move(said))};
}
struct Problem {
  const char* key;
  const char* english;
};
constexpr Problem kManyParts{"file.toml_parts", "a key has more than 64 parts"};
constexpr Problem kTooDeep{"file.toml_depth", "values are nested more than 64 deep"};

// Walks over a text as TOML's lexer would, and looks at nothing but how deep keys and brackets go.
class DepthCheck {
 public:
  DepthCheck(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::optional<Error> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_line();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        if (const Problem* const problem = look(c))
          return wrong(problem->english, {problem->key, {}}, {file_, line_, column_});
        step();
      }
    }
    return std::nullopt;
  }

 private:
  const Problem* look(char c) {
    if (c == '.') return ++parts_ >= kMostParts ? &kManyParts : nullptr;
    if (c == '[' || c == '{') ++depth_;
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == '=' || c == ',' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}') parts_ = 0;
    return depth_ > kDeepest ? &kTooDeep : nullptr;
  }

  void step() {
    column_ = text_[at_] == '\n' ? 1 : column_ + 1;
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') step();
  }

  bool follows(char quote) const { return text_.substr(at_, 3) == std::string(3, quote); }

  void skip_string(char quote) {
    const bool several_lines = follows(quote);
    for (int i = 0; i < (several_lines ? 3 : 1); ++i) step();
    while (at_ < text_.size()) {
      if (text_[at_] == '\n' && !several_lines) return;  // the library says that it does not end
      if (several_lines ? follows(quote) : text_[at_] == quote) {
        for (int i = 0; i < (several_lines ? 3 : 1); ++i) step();
        return;
      }
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size()) step();
      step();
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1, depth_ = 0, parts_ = 0;
};

}  // namespace

Result<toml::table> parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > kMostTomlBytes) return told(ErrorKind::Usage, {"file.large_toml", {}}, {file, 0, 0});
  if (const auto too_deep = DepthCheck(text, file).run()) return *too_deep;
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const auto begin = error.source().begin;
    const std::string what(error.description());
    const Place place{file, static_cast<int>(begin.line), static_cast<int>(begin.column)};
    // What the parser says of the mistakes that are made most often names none of them.
    for (const auto& [said, key] : {std::pair{"could not determine value type", "file.no_toml_value"},
                                    {"unescaped control characters", "file.open_text"},
                                    {"cannot redefine existing array", "file.one_of_several"}})
      if (what.find(said) != std::string::npos) return told(ErrorKind::Usage, {key, {}}, place);
    return wrong(what, {"file.no_toml", {{"what", value_of(what)}}}, place);
  }
}

Result<toml::table> read_toml(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  return parse_toml(*text, file.string());
}

}  // namespace warplens
