#include "engine/source/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "engine/base/message.h"
#include "engine/base/text.h"

namespace warplens::source {
namespace {

using Severity = Diagnostic::Severity;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t indentation(std::string_view line) {
  const std::size_t n = line.find_first_not_of(" \t");
  return n == std::string_view::npos ? line.size() : n;
}

// "error: message", "warning #177-D: message", "fatal error: ...", "catastrophic error: ..."
std::optional<Diagnostic> severity_and_message(std::string_view text) {
  struct Word {
    std::string_view text;
    Severity severity;
  };
  static constexpr Word kWords[] = {{"catastrophic error", Severity::Error},
                                    {"fatal error", Severity::Error},
                                    {"internal error", Severity::Error},
                                    {"error", Severity::Error},
                                    {"warning", Severity::Warning},
                                    {"remark", Severity::Note},
                                    {"note", Severity::Note}};
  text.remove_prefix(std::min(indentation(text), text.size()));
  for (const Word& word : kWords) {
    if (text.substr(0, word.text.size()) != word.text) continue;
    std::string_view rest = text.substr(word.text.size());
    const std::size_t colon = rest.find(':');
    // Between the word and its colon only a number like #177-D may stand.
    if (colon == std::string_view::npos || colon > 12 ||
        (colon > 0 && rest.substr(0, 2) != " #" && rest[0] != ' '))
      return std::nullopt;
    rest.remove_prefix(colon + 1);
    rest.remove_prefix(std::min(indentation(rest), rest.size()));
    return Diagnostic{word.severity, {}, std::string(rest)};
  }
  return std::nullopt;
}

bool read_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// file(8): ...
std::optional<Diagnostic> parenthesised(std::string_view line) {
  const std::size_t close = line.find("): ");
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t open = line.rfind('(', close);
  int number = 0;
  if (open == std::string_view::npos || !read_number(line.substr(open + 1, close - open - 1), number))
    return std::nullopt;
  auto diagnostic = severity_and_message(line.substr(close + 3));
  if (diagnostic) diagnostic->place = {std::string(line.substr(0, open)), number, 0};
  return diagnostic;
}

// file:8:13: ...  and  file:8: ...
std::optional<Diagnostic> colon_separated(std::string_view line) {
  for (std::size_t i = line.find(':'); i != std::string_view::npos; i = line.find(':', i + 1)) {
    const std::size_t next = line.find(':', i + 1);
    int number = 0, column = 0;
    if (next == std::string_view::npos || !read_number(line.substr(i + 1, next - i - 1), number)) continue;
    std::size_t message = next + 1;
    const std::size_t third = line.find(':', next + 1);
    if (third != std::string_view::npos && read_number(line.substr(next + 1, third - next - 1), column))
      message = third + 1;
    auto diagnostic = severity_and_message(line.substr(message));
    if (diagnostic) diagnostic->place = {std::string(line.substr(0, i)), number, column};
    if (diagnostic) return diagnostic;
  }
  return std::nullopt;
}

// Without a place:  "clang: error: unsupported CUDA gpu architecture", "nvcc fatal   : ..."
std::optional<Diagnostic> without_place(std::string_view line) {
  for (const std::string_view tool : {"clang: ", "clang++: ", "nvrtc: ", "At end of source: ", ""})
    if (line.substr(0, tool.size()) == tool)
      if (auto diagnostic = severity_and_message(line.substr(tool.size()))) return diagnostic;
  for (const std::string_view tool : {"nvcc fatal", "ptxas fatal", "ptxas error"})
    if (line.substr(0, tool.size()) == tool) {
      std::string_view rest = line.substr(std::min(line.find(':'), line.size()));
      rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
      return Diagnostic{Severity::Error, {}, std::string(rest)};
    }
  return std::nullopt;
}

bool is_caret_line(std::string_view line) {
  const std::size_t n = line.find_first_not_of(" \t");
  return n != std::string_view::npos && line[n] == '^' &&
         line.find_first_not_of("^~ \t\r", n) == std::string_view::npos;
}

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(indentation(line));
  while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos)
    line.remove_suffix(1);
  return line;
}

// Where a word, or a character that is none, begins in a line.
std::vector<std::size_t> places_of(std::string_view word, std::string_view line) {
  std::vector<std::size_t> places;
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool inside = is_name_character(word[0]) && ((at > 0 && is_name_character(line[at - 1])) ||
                                                       (end < line.size() && is_name_character(line[end])));
    if (!inside) places.push_back(at);
  }
  return places;
}

// The column of the user's line that a caret under `shown` means. nvcc shows the line without its indentation
// and with all macros (also __global__) expanded: then it is the same word, as the same one of as many. 0
// when there is no telling.
int column_in(std::string_view original, std::string_view shown, std::size_t caret) {
  if (trimmed(original) == trimmed(shown))
    return static_cast<int>(caret - indentation(shown) + indentation(original)) + 1;
  if (caret >= shown.size()) return 0;
  std::size_t end = caret + 1;
  while (is_name_character(shown[caret]) && end < shown.size() && is_name_character(shown[end])) ++end;
  const std::string_view word = shown.substr(caret, end - caret);
  const std::vector<std::size_t> theirs = places_of(word, shown), ours = places_of(word, original);
  const auto which = std::ranges::find(theirs, caret);
  if (which == theirs.end() || theirs.size() != ours.size()) return 0;
  return static_cast<int>(ours[static_cast<std::size_t>(which - theirs.begin())]) + 1;
}

}  // namespace

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

std::vector<Diagnostic> parse_diagnostics(const std::string& log, const SourceNames& names,
                                          const TextOf& text_of) {
  std::vector<Diagnostic> diagnostics;
  std::map<const std::string*, std::vector<std::string_view>> sources;
  const auto source_line = [&](const Place& place) -> std::string_view {
    const std::string* const text = text_of(place.file);
    if (text == nullptr) return {};
    auto& source = sources[text];
    if (source.empty()) source = lines_of(*text);
    const auto line = static_cast<std::size_t>(place.line);
    return line <= source.size() ? source[line - 1] : std::string_view();
  };
  const auto lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto diagnostic = parenthesised(line);
    if (!diagnostic) diagnostic = colon_separated(line);
    if (!diagnostic) diagnostic = without_place(line);
    if (diagnostic) {
      diagnostic->place.file = names.known(diagnostic->place.file);
      diagnostics.push_back(std::move(*diagnostic));
      continue;
    }
    // nvcc and NVRTC print the line without its indentation, two blanks in front, and a caret under the
    // place.
    if (!is_caret_line(line) || diagnostics.empty() || diagnostics.back().place.column != 0) continue;
    Place& place = diagnostics.back().place;
    if (place.line <= 0) continue;
    const std::size_t caret = line.find('^');
    const std::size_t shown = i > 0 ? indentation(lines[i - 1]) : 0;
    if (caret < shown) continue;
    const std::string_view original = source_line(place);
    place.column = static_cast<int>(caret - shown + indentation(original)) + 1;
    if (!original.empty() && i > 0) place.column = column_in(original, lines[i - 1], caret);
  }
  return diagnostics;
}

std::vector<Diagnostic> parse_diagnostics(const std::string& log, const std::string& source_text) {
  return parse_diagnostics(log, SourceNames({}), [&](const std::string&) { return &source_text; });
}

std::vector<Diagnostic> parse_diagnostics(Compiler, const std::string& log) {
  return parse_diagnostics(log, std::string{});
}

std::string text(const Diagnostic& diagnostic) {
  static constexpr std::string_view kNames[] = {"error", "warning", "note"};
  std::string place = diagnostic.place.file;
  if (diagnostic.place.line > 0) place += ":" + std::to_string(diagnostic.place.line);
  if (diagnostic.place.column > 0) place += ":" + std::to_string(diagnostic.place.column);
  if (!place.empty()) place += ": ";
  return place + std::string(kNames[static_cast<std::size_t>(diagnostic.severity)]) + ": " +
         diagnostic.message;
}

void order_diagnostics(std::vector<Diagnostic>& diagnostics,
                       const std::function<bool(const Place&)>& is_users) {
  std::vector<std::vector<Diagnostic>> groups;  // each with its notes
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::Note || groups.empty()) groups.emplace_back();
    groups.back().push_back(std::move(diagnostic));
  }
  const auto rank = [&](const std::vector<Diagnostic>& group) {
    return 2 * (group[0].severity != Severity::Error) + !is_users(group[0].place);
  };
  std::ranges::stable_sort(groups, {}, rank);
  diagnostics.clear();
  for (auto& group : groups)
    for (Diagnostic& diagnostic : group)
      if (is_users(diagnostic.place) || group[0].severity == Severity::Error)
        diagnostics.push_back(std::move(diagnostic));
}

namespace {

// The name between `before` and `after`, which is how compilers say that a header is missing; "" otherwise.
std::string_view missing_header(std::string_view message) {
  struct Form {
    std::string_view before, after;
  };
  static constexpr Form kForms[] = {{"", ": No such file or directory"},   // g++ behind nvcc
                                    {"cannot open source file \"", "\""},  // nvcc, NVRTC
                                    {"could not open source file \"", "\""},
                                    {"'", "' file not found"}};  // clang
  for (const Form& form : kForms) {
    if (!message.starts_with(form.before)) continue;
    const std::string_view rest = message.substr(form.before.size());
    const std::size_t end = rest.find(form.after);
    if (end != std::string_view::npos && end > 0) return rest.substr(0, end);
  }
  return {};
}

// What compilers say, and ours in the place of words that do not say what to do.
Error in_plain_words(const std::string& message) {
  if (const std::string_view header = missing_header(message); !header.empty())
    return told(ErrorKind::Compile, {"compile.no_header", {{"header", value_of(std::string(header))}}});
  if (message.find("\"cudaDeviceSynchronize\"") != std::string::npos &&
      (message.find("undefined in device code") != std::string::npos ||
       message.find("calling a __host__ function") != std::string::npos))
    return told(ErrorKind::Compile, {"compile.no_device_synchronize", {}});
  return {ErrorKind::Compile, message, {}, {}};
}

// Of an error at the end of the text, which has no line: the note about the bracket that nothing has closed.
const Diagnostic* left_open(const std::vector<Diagnostic>& diagnostics, std::size_t error) {
  if (diagnostics[error].place.line > 0 || error + 1 >= diagnostics.size()) return nullptr;
  const Diagnostic& note = diagnostics[error + 1];
  const bool opens = note.severity == Severity::Note && note.message.starts_with("to match this");
  return opens && note.place.line > 0 ? &note : nullptr;
}

}  // namespace

void name_lookalikes(Error& error, std::string_view line) {
  struct Lookalike {
    std::string_view is;
    char meant;
  };
  static constexpr Lookalike kOthers[] = {{"\u201c", '"'},  {"\u201d", '"'}, {"\u2018", '\''},
                                          {"\u2019", '\''}, {"\u3000", ' '}, {"\u00a0", ' '},
                                          {"\u3001", ','},  {"\u3002", '.'}, {"\u2212", '-'}};
  // U+FF01 to U+FF5E are ASCII, as wide as a Chinese character.
  const auto full_width = [](std::string_view at) -> char {
    if (at.size() < 3 || at[0] != '\xef') return 0;
    const unsigned second = static_cast<unsigned char>(at[1]), third = static_cast<unsigned char>(at[2]);
    const unsigned code = (second & 0x3f) << 6 | (third & 0x3f);
    return code >= 0xf01 && code <= 0xf5e ? static_cast<char>(code - 0xf01 + '!') : '\0';
  };
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    if (quote == 0 && rest.starts_with("//")) return;
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      quote = 0;
    } else if (quote == 0 && (line[i] == '"' || line[i] == '\'')) {
      quote = line[i];
    }
    if (quote != 0) continue;
    char meant = full_width(rest);
    std::string_view is = rest.substr(0, 3);
    for (const Lookalike& other : kOthers)
      if (rest.starts_with(other.is)) meant = other.meant, is = other.is;
    if (meant == 0) continue;
    Error clearer = told(error.kind,
                         {meant == ' ' ? "compile.lookalike_blank" : "compile.lookalike",
                          {{"message", value_of(error)},
                           {"is", value_of(std::string(is))},
                           {"meant", value_of(std::string(1, meant))}}},
                         error.place);
    clearer.notes = std::move(error.notes);
    error = std::move(clearer);
    return;
  }
}

Error compile_error(const std::string& compiler, const std::string& file, const std::string& log,
                    const std::vector<Diagnostic>& diagnostics) {
  Error error{ErrorKind::Compile, {}, {file, 0, 0}, {}};
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    const Diagnostic& diagnostic = diagnostics[i];
    if (diagnostic.severity == Severity::Error && error.message.empty()) {
      const Diagnostic* const open = left_open(diagnostics, i);
      Error plain =
          open == nullptr
              ? in_plain_words(diagnostic.message)
              : told(ErrorKind::Compile, {"compile.left_open", {{"message", value_of(diagnostic.message)}}});
      error.message = std::move(plain.message);
      error.said = std::move(plain.said);
      if (diagnostic.place.line > 0) error.place = diagnostic.place;
      if (open != nullptr) error.place = open->place;
    } else {
      error.notes.push_back(text(diagnostic));
    }
  }
  if (error.message.empty()) {
    Error nameless = told(ErrorKind::Compile, {"compile.nameless", {{"compiler", value_of(compiler)}}});
    error.message = std::move(nameless.message);
    error.said = std::move(nameless.said);
    for (const std::string_view line : lines_of(log))
      if (!line.empty() && error.notes.size() < 20) error.notes.emplace_back(line);
  }
  return error;
}

}  // namespace warplens::source
