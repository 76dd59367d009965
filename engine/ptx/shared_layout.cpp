#include "engine/ptx/shared_layout.h"

#include <algorithm>
#include <vector>

#include "engine/ptx/reached_code.h"

namespace warplens::ptx {
namespace {

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment == 0 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace

SharedLayout shared_layout(const Module& module, const Function& entry) {
  constexpr std::uint64_t kDynamicAlignment = 16;
  SharedLayout layout;
  const ReachedCode reached = reached_code(module, entry);
  std::vector<const Variable*> dynamic;
  const auto place = [&](const Variable& variable) {
    if (variable.space != StateSpace::Shared || !reached.symbols.contains(variable.name)) return;
    if (variable.is_extern) {
      dynamic.push_back(&variable);
      return;
    }
    const std::uint64_t at = aligned(layout.static_bytes, variable.alignment);
    if (layout.address.emplace(variable.name, at).second) layout.static_bytes = at + variable.bytes();
  };
  for (const Function* function : reached.functions) {
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
