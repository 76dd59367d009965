#include "app/model/run/compile_advice.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace warplens::model {
namespace {

struct Saying {
  std::string_view compiler;  // a part of its message, as nvcc, NVRTC or clang word it
  const char* key;
};
constexpr Saying kSayings[] = {
    {"Universal character is not allowed", "compile_advice.ascii_name"},
    {"#include nested", "compile_advice.includes_itself"},
    {"include nested too deeply", "compile_advice.includes_itself"},
    {"excessive recursion at instantiation", "compile_advice.endless_template"},
    {"recursive template instantiation exceeded", "compile_advice.endless_template"},
};

// What people write from memory in other letters.
constexpr std::string_view kNames[] = {"blockIdx",
                                       "threadIdx",
                                       "blockDim",
                                       "gridDim",
                                       "warpSize",
                                       "__syncthreads",
                                       "__syncwarp",
                                       "__shared__",
                                       "__global__",
                                       "__device__",
                                       "__constant__",
                                       "__restrict__",
                                       "__shfl_sync",
                                       "__shfl_up_sync",
                                       "__shfl_down_sync",
                                       "__shfl_xor_sync",
                                       "__ballot_sync",
                                       "__any_sync",
                                       "__all_sync",
                                       "__activemask",
                                       "__ldg",
                                       "atomicAdd",
                                       "atomicMax",
                                       "atomicMin",
                                       "atomicCAS",
                                       "atomicExch",
                                       "cudaMalloc",
                                       "cudaMemcpy",
                                       "cudaFree",
                                       "cudaMemset",
                                       "cudaDeviceSynchronize"};

std::string letters_alone(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The name of CUDA that an unknown one is but for capitals and underscores.
std::string_view meant_by(std::string_view message) {
  constexpr std::string_view kBefore = "identifier \"", kAfter = "\" is undefined";
  const std::size_t before = message.find(kBefore);
  if (before == std::string_view::npos) return {};
  const std::size_t begin = before + kBefore.size(), end = message.find(kAfter, begin);
  if (end == std::string_view::npos) return {};
  const std::string wanted = letters_alone(message.substr(begin, end - begin));
  const auto found =
      std::ranges::find_if(kNames, [&](std::string_view name) { return letters_alone(name) == wanted; });
  return found == std::end(kNames) ? std::string_view() : *found;
}

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

// Of three parts together no index can be made: the one of them that stands on the line without a part.
std::string_view without_part(std::string_view message, std::string_view line) {
  constexpr std::string_view kWhole[] = {"matches these operands", "dim3\" to", "uint3\" to"};
  if (std::ranges::none_of(kWhole,
                           [&](std::string_view words) { return message.find(words) != message.npos; }))
    return {};
  for (const std::string_view name : {kNames[0], kNames[1], kNames[2], kNames[3]})
    for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1))
      if (const std::size_t end = at + name.size(); end >= line.size() || line[end] != '.') return name;
  return {};
}

// The line above the named one, where its end is what is missing; 0: it is not. Comments do not count.
int unfinished_line(std::string_view text, int named) {
  for (int number = named - 1; number > 0; --number) {
    std::string_view line = line_of(text, number);
    line = line.substr(0, line.find("//"));
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last == line.npos) continue;
    const auto c = static_cast<unsigned char>(line[last]);
    return std::isalnum(c) != 0 || c == ')' || c == ']' || c == '_' ? number : 0;
  }
  return 0;
}

// Behind the literal that begins at `at`.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

}  // namespace

int open_braces(std::string_view text) {
  int open = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text[at] == '"' || text[at] == '\'') {
      at = behind_literal(text, at);
    } else {
      open += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
      ++at;
    }
  }
  return open;
}

std::optional<Message> compile_advice(const Error& error, std::string_view text) {
  if (error.said && error.said->key == "ptx.no_kernels") return Message{"compile_advice.no_kernel", {}};
  if (error.kind != ErrorKind::Compile) return std::nullopt;
  for (const auto& [words, key] : kSayings)
    if (error.message.find(words) != std::string::npos) return Message{key, {}};
  if (const std::string_view name = meant_by(error.message); !name.empty())
    return Message{"compile_advice.other_letters", {{"name", value_of(std::string(name))}}};
  const int line = error.place.line;
  if (const std::string_view name = without_part(error.message, line_of(text, line));
      line > 0 && !name.empty())
    return Message{"compile_advice.parts", {{"name", value_of(std::string(name))}}};
  const bool expected = error.message.find("expected") != std::string::npos;
  const int open = expected ? open_braces(text) : 0;
  if (open == 0) {
    const bool semicolon = error.message.find("expected a \";\"") != std::string::npos;
    const int above = semicolon ? unfinished_line(text, line) : 0;
    if (above > 0) return Message{"compile_advice.semicolon", {{"line", value_of(above)}}};
    return std::nullopt;
  }
  return Message{open > 0 ? "compile_advice.brace_missing" : "compile_advice.brace_too_many", {}};
}

}  // namespace warplens::model
