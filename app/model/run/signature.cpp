#include "app/model/run/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "engine/base/place_name.h"
#include "engine/base/text.h"
#include "engine/ptx/syntax/kernel_names.h"

namespace warplens::model {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
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

// "unsigned int const*" and "const unsigned int *" are one type to who compares words and stars.
std::vector<std::string> words_of(std::string_view type) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (type[i] == ' ') continue;
    if (words.empty() || !is_name_character(type[i]) || !is_name_character(type[i - 1])) words.emplace_back();
    words.back() += type[i];
  }
  std::ranges::sort(words);
  return words;
}

std::string_view unqualified(std::string_view name) {
  const auto scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

// Of the declarations with so many parameters the one whose namespaces and types fit best, and that names
// them.
const source::DeclaredKernel* declaration_of(const source::HostReading& host, std::string_view name,
                                             const std::vector<std::string_view>& types,
                                             std::size_t parameters) {
  const source::DeclaredKernel* best = nullptr;
  std::size_t most = 0;
  for (const source::DeclaredKernel& kernel : host.kernels) {
    if (kernel.parameters.size() != parameters || unqualified(kernel.name) != unqualified(name)) continue;
    std::size_t fits = 1 + (kernel.name == name ? 10000 : 0);
    for (std::size_t i = 0; i < parameters; ++i) {
      fits += kernel.parameters[i].name.empty() ? 0 : 1;
      if (i < types.size() && words_of(types[i]) == words_of(kernel.parameters[i].type)) fits += 10;
    }
    if (fits > most) most = fits, best = &kernel;
  }
  return best;
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

  out.declared =
      declaration_of(program.host, out.name.substr(0, out.name.find('<')), types, entry.parameters.size());
  const bool is_template = out.declared != nullptr && !out.declared->template_parameters.empty();
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const source::DeclaredKernel::Parameter declared =
        out.declared != nullptr ? out.declared->parameters[i] : source::DeclaredKernel::Parameter{};
    const std::string of_source = is_template ? std::string() : declared.type;
    Parameter parameter;
    parameter.name = !declared.name.empty() ? declared.name : argument_name(i);
    parameter.type = i < types.size()     ? std::string(types[i])
                     : !of_source.empty() ? of_source
                                          : std::string(ptx::name(entry.parameters[i].type));
    parameter.written = !of_source.empty() ? of_source : parameter.type;
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
