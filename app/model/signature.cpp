#include "app/model/signature.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "engine/ptx/syntax/kernel_names.h"

namespace warplens::model {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Splits at commas outside brackets of any kind.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      out.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (!trim(text.substr(begin)).empty()) out.push_back(trim(text.substr(begin)));
  return out;
}

// The bracketed text that opens at `open`, without its brackets.
std::string_view bracketed(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return {};
}

// Where the parameter list of the demangled symbol opens: the last bracket at depth 0.
std::size_t parameter_list(std::string_view demangled) {
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == '(' && depth == 0) return i;
  }
  return std::string_view::npos;
}

// "void ns::scale<int, 4>" -> "ns::scale<int, 4>": template instances carry their return type.
std::string_view without_return_type(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    if (name[i] == '>' || name[i] == ')') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  return name.substr(begin);
}

// The declarator's name: "const float* __restrict__ in" -> "in", "float (&rows)[4]" -> "rows".
std::string declared_name(std::string_view parameter) {
  parameter = trim(parameter.substr(0, parameter.find('=')));
  if (const auto array = parameter.find('['); array != std::string_view::npos)
    parameter = trim(parameter.substr(0, array));
  while (!parameter.empty() && parameter.back() == ')')
    parameter = trim(parameter.substr(0, parameter.size() - 1));
  std::size_t begin = parameter.size();
  while (begin > 0 && is_name(parameter[begin - 1])) --begin;
  return std::string(parameter.substr(begin));
}

// Parameter names of the definition of `plain` in the source, empty when it is not found.
std::vector<std::string> names_in_source(std::string_view text, std::string_view plain) {
  for (std::size_t at = text.find(plain); at != std::string_view::npos; at = text.find(plain, at + 1)) {
    const bool starts = at == 0 || !is_name(text[at - 1]);
    std::size_t open = at + plain.size();
    if (!starts || (open < text.size() && is_name(text[open]))) continue;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) ++open;
    if (open >= text.size() || text[open] != '(') continue;
    // A kernel is preceded by __global__ since the end of the last declaration.
    const auto boundary = text.find_last_of(";}", at);
    const std::string_view before = text.substr(boundary == std::string_view::npos ? 0 : boundary,
                                                at - (boundary == std::string_view::npos ? 0 : boundary));
    if (before.find("__global__") == std::string_view::npos) continue;
    std::vector<std::string> names;
    for (const std::string_view parameter : split_arguments(bracketed(text, open)))
      names.push_back(declared_name(parameter));
    return names;
  }
  return {};
}

}  // namespace

Signature signature_of(const Program& program, const ptx::Function& entry) {
  Signature out;
  out.mangled = entry.name;
  const std::string_view demangled = entry.demangled;
  const std::size_t open = parameter_list(demangled);
  out.name = ptx::as_written(without_return_type(demangled.substr(0, open)));
  std::vector<std::string_view> types;
  if (open != std::string_view::npos) types = split_arguments(bracketed(demangled, open));

  std::string_view plain = std::string_view(out.name).substr(0, out.name.find('<'));
  if (const auto scope = plain.rfind("::"); scope != std::string_view::npos) plain = plain.substr(scope + 2);
  std::vector<std::string> names;
  if (!program.is_ptx) names = names_in_source(program.text, plain);

  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    Parameter parameter;
    parameter.name = i < names.size() && !names[i].empty() ? names[i] : fmt::format("argument {}", i);
    parameter.type =
        i < types.size() ? std::string(types[i]) : std::string(ptx::name(entry.parameters[i].type));
    out.parameters.push_back(std::move(parameter));
  }
  return out;
}

std::vector<const ptx::Function*> entries_of(const Program& program) {
  std::vector<const ptx::Function*> out;
  for (const ptx::Function& function : program.module->functions)
    if (function.is_entry) out.push_back(&function);
  return out;
}

}  // namespace warplens::model
