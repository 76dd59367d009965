#include "engine/source/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>

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
  for (const std::string_view tool : {"clang: ", "clang++: ", "nvrtc: ", ""})
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

}  // namespace

std::vector<Diagnostic> parse_diagnostics(const std::string& log, const std::string& source_text) {
  std::vector<Diagnostic> diagnostics;
  const auto source = lines_of(source_text);
  const auto lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto diagnostic = parenthesised(line);
    if (!diagnostic) diagnostic = colon_separated(line);
    if (!diagnostic) diagnostic = without_place(line);
    if (diagnostic) {
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
    std::size_t original = 0;
    if (static_cast<std::size_t>(place.line) <= source.size())
      original = indentation(source[static_cast<std::size_t>(place.line) - 1]);
    if (caret >= shown) place.column = static_cast<int>(caret - shown + original) + 1;
  }
  return diagnostics;
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

Error compile_error(const std::string& compiler, const std::string& file, const std::string& log,
                    const std::vector<Diagnostic>& diagnostics) {
  Error error{ErrorKind::Compile, {}, {file, 0, 0}, {}};
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::Error && error.message.empty()) {
      error.message = diagnostic.message;
      if (diagnostic.place.line > 0) error.place = diagnostic.place;
    } else {
      error.notes.push_back(text(diagnostic));
    }
  }
  if (error.message.empty()) {
    error.message = compiler + " failed without naming a place";
    for (const std::string_view line : lines_of(log))
      if (!line.empty() && error.notes.size() < 20) error.notes.emplace_back(line);
  }
  return error;
}

}  // namespace warplens::source
