#include "engine/ptx/facts/shared_layout.h"

#include <algorithm>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment == 0 ? value : (value + alignment - 1) / alignment * alignment;
}

// Text that no machine has room for: it is left out, so that sums stay in range.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

bool is_dynamic(const Variable& variable) {
  return variable.is_extern || (variable.is_array && variable.count == 0);
}

}  // namespace

std::uint64_t alignment_of(const Variable& variable) {
  return std::max({std::uint64_t{1}, std::uint64_t{variable.alignment},
                   static_cast<std::uint64_t>(size_of(variable.type))});
}

SharedLayout shared_layout(const Module& module, const Function& entry) {
  constexpr std::uint64_t kDynamicAlignment = 16;
  SharedLayout layout;
  const auto facts = facts_of(module, entry);
  const ReachedCode& reached = facts->reached();
  std::uint64_t dynamic_alignment = kDynamicAlignment;
  const auto place = [&](const Variable& variable) {
    if (variable.space != StateSpace::Shared || !reached.symbols.contains(variable.name)) return;
    const std::uint64_t alignment = alignment_of(variable);
    layout.alignment = std::max(layout.alignment, alignment);
    if (is_dynamic(variable)) {
      dynamic_alignment = std::max(dynamic_alignment, alignment);
      layout.dynamic.push_back({&variable, 0});
      return;
    }
    const std::uint64_t at = aligned(layout.used_bytes, alignment);
    if (variable.bytes() > kMostBytes || !layout.address.emplace(variable.name, at).second) return;
    layout.places.push_back({&variable, at});
    layout.used_bytes = at + variable.bytes();
  };
  for (const Function* function : reached.functions)
    for (const Variable& variable : function->locals) place(variable);
  for (const Variable& variable : module.variables) place(variable);
  layout.dynamic_address = aligned(layout.used_bytes, dynamic_alignment);
  for (SharedPlace& dynamic : layout.dynamic) {
    dynamic.address = layout.dynamic_address;
    layout.address[dynamic.variable->name] = layout.dynamic_address;
  }
  // An extern array anywhere in the module makes room for itself in every kernel.
  const bool declared = std::ranges::any_of(module.variables, [](const Variable& variable) {
    return variable.space == StateSpace::Shared && variable.is_extern;
  });
  layout.static_bytes = declared ? aligned(layout.used_bytes, kDynamicAlignment) : layout.used_bytes;
  return layout;
}

}  // namespace warplens::ptx
