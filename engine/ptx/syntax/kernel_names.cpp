#include "engine/ptx/syntax/kernel_names.h"

#include <algorithm>

namespace warplens::ptx {
namespace {

// Behind the bracket that closes the one at `open`.
std::size_t after_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// "float square<float>(float)" -> "square<float>"
std::string_view function_name(std::string_view declaration) {
  int depth = 0;
  std::size_t begin = 0, i = 0;
  for (; i < declaration.size(); ++i) {
    const char c = declaration[i];
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (depth > 0) continue;
    if (c == '(') break;
    if (c == ' ') begin = i + 1;
  }
  return declaration.substr(begin, i - begin);
}

}  // namespace

std::string as_written(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::size_t last = out.find_last_not_of(' ');
    const bool argument = last != std::string::npos && (out[last] == '<' || out[last] == ',');
    if (name[i] != '&' || !argument) {
      out += name[i];
    } else if (const std::size_t open = name.find_first_not_of(' ', i + 1);
               open != std::string_view::npos && name[open] == '(') {
      const std::size_t end = after_bracket(name, open);
      out += function_name(name.substr(open + 1, end - open - 2));
      i = end - 1;
    }
  }
  return out;
}

}  // namespace warplens::ptx
