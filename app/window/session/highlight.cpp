#include "app/window/session/highlight.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "engine/base/text.h"

namespace warplens::window {
namespace {

constexpr std::array<std::string_view, 40> kKeywords = {
    "if",       "else",     "for",      "while", "do",        "switch", "case",      "default",
    "break",    "continue", "return",   "const", "constexpr", "static", "inline",    "template",
    "typename", "class",    "struct",   "enum",  "union",     "using",  "namespace", "sizeof",
    "auto",     "extern",   "volatile", "new",   "delete",    "true",   "false",     "nullptr",
    "operator", "public",   "private",  "goto",  "typedef",   "this",   "noexcept",  "alignas"};
constexpr std::array<std::string_view, 26> kTypes = {
    "void",     "bool",   "char",   "short",   "int",     "long",     "float",   "double",   "unsigned",
    "signed",   "size_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
    "uint64_t", "float2", "float3", "float4",  "int2",    "int4",     "dim3",    "half"};
constexpr std::array<std::string_view, 14> kCuda = {
    "__global__",   "__device__",        "__host__",      "__shared__", "__constant__",
    "__restrict__", "__launch_bounds__", "threadIdx",     "blockIdx",   "blockDim",
    "gridDim",      "warpSize",          "__syncthreads", "__syncwarp"};

template <typename List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}

Ink ink_of_word(std::string_view word) {
  if (holds(kKeywords, word)) return Ink::Keyword;
  if (holds(kTypes, word)) return Ink::Type;
  // Every intrinsic starts with two underscores.
  if (holds(kCuda, word) || word.starts_with("__") || word.starts_with("atomic")) return Ink::Cuda;
  return Ink::Plain;
}

void push(TextLine& line, std::size_t begin, std::size_t end, Ink ink) {
  if (begin == end) return;
  if (!line.pieces.empty() && line.pieces.back().ink == ink && line.pieces.back().end == begin) {
    line.pieces.back().end = static_cast<std::uint32_t>(end);
  } else {
    line.pieces.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), ink});
  }
}

std::size_t string_end(std::string_view s, std::size_t at) {
  const char quote = s[at++];
  while (at < s.size() && s[at] != quote) at += s[at] == '\\' ? 2 : 1;
  return std::min(at + 1, s.size());
}

std::size_t number_end(std::string_view s, std::size_t at) {
  while (at < s.size() && (is_name_character(s[at]) || s[at] == '.' || s[at] == '\'' ||
                           ((s[at] == '+' || s[at] == '-') && (s[at - 1] == 'e' || s[at - 1] == 'E')))) {
    ++at;
  }
  return at;
}

// `in_comment` is whether a block comment is open, before and after.
void split_cuda(std::string_view s, TextLine& line, bool& in_comment) {
  std::size_t at = 0;
  const auto close = [&](std::size_t from) {
    const std::size_t end = s.find("*/", from);
    in_comment = end == std::string_view::npos;
    return in_comment ? s.size() : end + 2;
  };
  if (in_comment) {
    at = close(0);
    push(line, 0, at, Ink::Comment);
  }
  const std::size_t first = s.find_first_not_of(" \t");
  const bool directive = at == 0 && first != std::string_view::npos && s[first] == '#';
  while (at < s.size()) {
    const std::string_view rest = s.substr(at);
    std::size_t end = at + 1;
    Ink ink = Ink::Plain;
    if (rest.starts_with("//")) {
      end = s.size();
      ink = Ink::Comment;
    } else if (rest.starts_with("/*")) {
      end = close(at + 2);
      ink = Ink::Comment;
    } else if (s[at] == '"' || s[at] == '\'') {
      end = string_end(s, at);
      ink = Ink::String;
    } else if (std::isdigit(static_cast<unsigned char>(s[at]))) {
      end = number_end(s, at);
      ink = Ink::Number;
    } else if (word_start(s[at])) {
      while (end < s.size() && is_name_character(s[end])) ++end;
      ink = directive ? Ink::Directive : ink_of_word(s.substr(at, end - at));
    } else if (directive) {
      ink = Ink::Directive;
    }
    push(line, at, end, ink);
    at = end;
  }
}

void split_ptx(std::string_view s, TextLine& line, bool& in_comment) {
  std::size_t at = 0;
  bool opcode = true;  // the first word of an instruction is its opcode
  while (at < s.size()) {
    std::size_t end = at + 1;
    Ink ink = Ink::Plain;
    if (s.substr(at).starts_with("//")) {
      end = s.size();
      ink = Ink::Comment;
    } else if (s[at] == '%' || s[at] == '$') {
      while (end < s.size() && (is_name_character(s[end]) || s[end] == '.')) ++end;
      ink = s[at] == '%' ? Ink::Type : Ink::String;
    } else if (s[at] == '.' && opcode) {
      while (end < s.size() && (is_name_character(s[end]) || s[end] == '.')) ++end;
      ink = Ink::Directive;
    } else if (std::isdigit(static_cast<unsigned char>(s[at]))) {
      end = number_end(s, at);
      ink = Ink::Number;
    } else if (word_start(s[at])) {
      while (end < s.size() && (is_name_character(s[end]) || s[end] == '.' || s[end] == ':')) ++end;
      ink = opcode ? Ink::Keyword : Ink::Plain;
      opcode = false;
    } else if (s[at] == '"') {
      end = string_end(s, at);
      ink = Ink::String;
    }
    push(line, at, end, ink);
    at = end;
  }
  in_comment = false;
}

template <typename Split>
std::vector<TextLine> split_lines(std::string_view text, Split split) {
  std::vector<TextLine> lines;
  bool in_comment = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    TextLine line{begin, end, {}};
    split(text.substr(begin, end - begin), line, in_comment);
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<TextLine> highlight_cuda(std::string_view text) {
  return split_lines(text, split_cuda);
}

std::vector<TextLine> highlight_ptx(std::string_view text) {
  return split_lines(text, split_ptx);
}

}  // namespace warplens::window
