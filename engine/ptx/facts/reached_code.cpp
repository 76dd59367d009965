#include "engine/ptx/facts/reached_code.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace warplens::ptx {
namespace {

// Follows names from the entry on, in the order of the text.
class Walk {
 public:
  explicit Walk(const Module& module) : module_(module) {}

  ReachedCode from(const Function& entry) {
    reach(entry);
    for (std::size_t i = 0; i < reached_.functions.size(); ++i) look_through(*reached_.functions[i]);
    return std::move(reached_);
  }

 private:
  void reach(const Function& function) {
    if (seen_.insert(&function).second) reached_.functions.push_back(&function);
  }

  void look_through(const Function& function) {
    own_.clear();
    for (const Variable& variable : function.parameters) own_.insert(variable.name);
    for (const Variable& variable : function.locals) own_.insert(variable.name);
    for (const Instruction& instruction : function.instructions) {
      for (const Operand& operand : instruction.operands) follow(operand);
      for (const Operand& operand : instruction.call_arguments) follow(operand);
      if (module_.form(instruction).opcode == Opcode::Call && !instruction.prototype.empty())
        follow_pointer(function, instruction);
    }
  }

  void follow(const Operand& operand) {
    if (!operand.symbol.empty() && operand.kind != OperandKind::Label &&
        operand.kind != OperandKind::Register)
      follow(operand.symbol);
    for (const Operand& element : operand.elements) follow(element);
  }

  void follow(const std::string& name) {
    reached_.symbols.insert(name);
    if (own_.contains(name) || !followed_.insert(name).second) return;
    if (functions_.empty()) make_index();
    if (const auto found = functions_.find(name); found != functions_.end()) reach(*found->second);
    if (const auto found = tables_.find(name); found != tables_.end()) follow_table(*found->second);
  }

  // Functions whose addresses a variable holds: a table of virtual functions, for one.
  void follow_table(const Variable& variable) {
    if (functions_.empty()) make_index();
    for (const Relocation& relocation : variable.relocations) {
      const auto found = functions_.find(relocation.symbol);
      if (found != functions_.end() && !found->second->is_entry) follow(relocation.symbol);
    }
  }

  // Through a pointer any function may be meant whose address is stored in memory.
  void follow_pointer(const Function& function, const Instruction& call) {
    const auto targets = function.target_lists.find(call.prototype);
    if (targets != function.target_lists.end())
      for (const std::string& name : targets->second) follow(name);
    if (std::exchange(all_tables_, true)) return;
    for (const Variable& variable : module_.variables) follow_table(variable);
  }

  // Made when a name is met that is none of the function's own: a file of many kernels is asked for each of
  // them, and most name nothing else.
  void make_index() {
    for (const Function& function : module_.functions) functions_.emplace(function.name, &function);
    for (const auto& [alias, name] : module_.aliases)
      if (const Function* const function = module_.find_function(name); function != nullptr)
        functions_.emplace(alias, function);
    for (const Variable& variable : module_.variables)
      if (!variable.relocations.empty()) tables_.emplace(variable.name, &variable);
  }

  const Module& module_;
  ReachedCode reached_;
  std::unordered_set<const Function*> seen_;
  std::unordered_set<std::string_view> own_;  // names of the function at hand
  std::unordered_set<std::string_view> followed_;
  std::unordered_map<std::string_view, const Function*> functions_;
  std::unordered_map<std::string_view, const Variable*> tables_;
  bool all_tables_ = false;
};

}  // namespace

ReachedCode reached_code(const Module& module, const Function& entry) {
  return Walk(module).from(entry);
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
      if (form.effects().control != Control::Barrier || form.has(Modifier::Warp) ||
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
