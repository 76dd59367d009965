#include "engine/ptx/shared_layout.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace warplens::ptx {
namespace {

void collect_symbols(const Operand& operand, std::unordered_set<std::string>& out) {
  if (!operand.symbol.empty() && operand.kind != OperandKind::Label) out.insert(operand.symbol);
  for (const Operand& element : operand.elements) collect_symbols(element, out);
}

void collect_symbols(const Function& function, std::unordered_set<std::string>& out) {
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& operand : instruction.operands) collect_symbols(operand, out);
    for (const Operand& operand : instruction.call_arguments) collect_symbols(operand, out);
  }
}

// Names that are neither a parameter nor a variable of the function itself.
bool names_others(const Function& function, const std::unordered_set<std::string>& named) {
  std::unordered_set<std::string_view> own;
  for (const Variable& variable : function.parameters) own.insert(variable.name);
  for (const Variable& variable : function.locals) own.insert(variable.name);
  return std::any_of(named.begin(), named.end(),
                     [&](const std::string& name) { return !own.contains(name); });
}

// The entry and every function that it names, directly or through others.
std::vector<const Function*> reachable(const Module& module, const Function& entry,
                                       std::unordered_set<std::string>& symbols) {
  std::unordered_map<std::string_view, const Function*> by_name;
  std::vector<const Function*> found{&entry};
  std::unordered_set<const Function*> seen{&entry};
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::unordered_set<std::string> named;
    collect_symbols(*found[i], named);
    // A file of many kernels is asked for each of them: most name no function.
    if (by_name.empty() && names_others(*found[i], named))
      for (const Function& function : module.functions) by_name.emplace(function.name, &function);
    for (const std::string& symbol : named) {
      const auto callee = by_name.find(symbol);
      if (callee != by_name.end() && seen.insert(callee->second).second) found.push_back(callee->second);
    }
    symbols.merge(named);
  }
  return found;
}

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment == 0 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedLayout shared_layout(const Module& module, const Function& entry) {
  constexpr std::uint64_t kDynamicAlignment = 16;
  SharedLayout layout;
  std::unordered_set<std::string> used;
  const std::vector<const Function*> functions = reachable(module, entry, used);
  std::vector<const Variable*> dynamic;
  const auto place = [&](const Variable& variable) {
    if (variable.space != StateSpace::Shared || !used.contains(variable.name)) return;
    if (variable.is_extern) {
      dynamic.push_back(&variable);
      return;
    }
    const std::uint64_t at = aligned(layout.static_bytes, variable.alignment);
    if (layout.address.emplace(variable.name, at).second) layout.static_bytes = at + variable.bytes();
  };
  for (const Function* function : functions) {
    for (const Variable& variable : function->locals) place(variable);
  }
  for (const Variable& variable : module.variables) place(variable);
  std::uint64_t alignment = kDynamicAlignment;
  for (const Variable* variable : dynamic)
    alignment = std::max<std::uint64_t>(alignment, variable->alignment);
  layout.dynamic_address = aligned(layout.static_bytes, alignment);
  // An extern array anywhere in the module makes room for itself in every kernel.
  const bool declared = std::ranges::any_of(module.variables, [](const Variable& variable) {
    return variable.space == StateSpace::Shared && variable.is_extern;
  });
  if (declared) layout.static_bytes = aligned(layout.static_bytes, kDynamicAlignment);
  for (const Variable* variable : dynamic) layout.address[variable->name] = layout.dynamic_address;
  return layout;
}

}  // namespace warplens::ptx
