#include "engine/ptx/reached_code.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

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

}  // namespace

ReachedCode reached_code(const Module& module, const Function& entry) {
  ReachedCode reached{{&entry}, {}};
  std::unordered_map<std::string_view, const Function*> by_name;
  std::unordered_set<const Function*> seen{&entry};
  for (std::size_t i = 0; i < reached.functions.size(); ++i) {
    const Function& function = *reached.functions[i];
    std::unordered_set<std::string> named;
    collect_symbols(function, named);
    // A file of many kernels is asked for each of them: most name no function.
    if (by_name.empty() && names_others(function, named))
      for (const Function& other : module.functions) by_name.emplace(other.name, &other);
    for (const std::string& symbol : named) {
      const auto callee = by_name.find(symbol);
      if (callee != by_name.end() && seen.insert(callee->second).second)
        reached.functions.push_back(callee->second);
    }
    reached.symbols.merge(named);
  }
  return reached;
}

namespace {

// Routines of the driver, which the device's system code provides.
bool is_system_call(const Instruction& instruction) {
  constexpr std::string_view kRoutines[] = {"vprintf", "__assertfail", "malloc", "free"};
  return !instruction.operands.empty() &&
         std::ranges::find(kRoutines, instruction.operands[0].symbol) != std::end(kRoutines);
}

}  // namespace

int named_barriers(const Module& module, const ReachedCode& reached) {
  constexpr int kAll = 16;
  int most = 0;
  for (const Function* function : reached.functions)
    for (const Instruction& instruction : function->instructions) {
      const Form& form = module.form(instruction);
      if ((form.opcode != Opcode::Bar && form.opcode != Opcode::Barrier) || form.has(Modifier::Warp) ||
          form.has(Modifier::Cluster))
        continue;
      const std::size_t at = form.has(Modifier::Red) ? 1 : 0;  // behind the result
      if (instruction.operands.size() <= at) continue;
      const Operand& barrier = instruction.operands[at];
      most = std::max(most,
                      barrier.kind == OperandKind::Integer ? static_cast<int>(barrier.value & 15) + 1 : kAll);
    }
  return most;
}

bool runs_system_code(const Module& module, const ReachedCode& reached) {
  const auto calls_system = [&](const Function& function) {
    return std::ranges::any_of(function.instructions, [&](const Instruction& instruction) {
      return module.form(instruction).opcode == Opcode::Call && is_system_call(instruction);
    });
  };
  const auto calls_unknown = [&](const Function& function) {
    return std::ranges::any_of(function.instructions, [&](const Instruction& instruction) {
      return module.form(instruction).opcode == Opcode::Call && !instruction.operands.empty() &&
             instruction.operands[0].kind == OperandKind::Register;
    });
  };
  if (std::ranges::any_of(reached.functions, [&](const Function* f) { return calls_system(*f); }))
    return true;
  return std::ranges::any_of(reached.functions, [&](const Function* f) { return calls_unknown(*f); }) &&
         std::ranges::any_of(module.functions, calls_system);
}

}  // namespace warplens::ptx
