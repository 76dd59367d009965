#include "engine/source/launches.h"

#include <algorithm>

#include "engine/source/host_machine.h"
#include "engine/source/host_program.h"

namespace warplens::source {
namespace {

// A const at the end and restrict say nothing about what is passed.
std::string parameter_type(const HostProgram& program, const HostParameter& parameter) {
  std::string text;
  for (std::size_t i = parameter.type.first; i < parameter.type.last; ++i) {
    const Token& token = program.tokens()[i];
    if (token.is("__restrict__") || token.is("__restrict") || token.is("restrict")) continue;
    const bool word = token.kind == TokenKind::Identifier;
    if (word && !text.empty() && text.back() != ':' && text.back() != '<') text += ' ';
    text += token.text;
  }
  return text;
}

DeclaredKernel declared(const HostProgram& program, const HostFunction& kernel) {
  DeclaredKernel out;
  out.name = kernel.scope + kernel.name;
  out.line = kernel.line;
  out.in_main_file = kernel.in_main_file;
  for (const HostParameter& parameter : kernel.parameters)
    out.parameters.push_back({parameter_type(program, parameter), parameter.name});
  for (const TemplateParameter& parameter : kernel.templates)
    out.template_parameters.push_back((parameter.is_type ? "typename " : "int ") + parameter.name);
  return out;
}

}  // namespace

std::string_view name(Doubt::Why why) {
  switch (why) {
    case Doubt::Why::CommandLine:
      return "command-line";
    case Doubt::Why::Device:
      return "device";
    case Doubt::Why::Input:
      return "input";
    case Doubt::Why::Caller:
      return "caller";
    case Doubt::Why::Loop:
      return "loop";
    case Doubt::Why::Condition:
      return "condition";
    case Doubt::Why::Unfollowed:
      return "unfollowed";
  }
  return "unfollowed";
}

HostReading read_host(const HostText& text) {
  HostReading out;
  HostProgram program =
      read_host_program(read_source_tree(text.file, text.text, text.include_paths), text.defines);
  for (const HostFunction& kernel : program.kernels) {
    if (kernel.is_explicit_instance) {
      if (!kernel.instance.empty()) out.instances.push_back(kernel.scope + kernel.name + kernel.instance);
    } else {
      out.kernels.push_back(declared(program, kernel));
    }
  }
  const PlacesOfReading places;
  HostMachine machine(program);
  if (!program.kernels.empty()) machine.run();
  for (const std::string& instance : machine.instances)
    if (std::find(out.instances.begin(), out.instances.end(), instance) == out.instances.end())
      out.instances.push_back(instance);
  out.launches = std::move(machine.launches);
  std::vector<std::string> names;
  for (const auto& [name, structure] : program.structures)
    if (structure->templates.empty()) names.push_back(name);
  for (const auto& [name, range] : program.aliases)
    if (!program.alias_templates.contains(name)) names.push_back(name);
  for (const std::string& name : names)
    if (const auto type = machine.declared_type(name)) out.types[name] = *type;
  return out;
}

}  // namespace warplens::source
