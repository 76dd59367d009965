#include "engine/ptx/rules/saved_registers.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"
#include "engine/ptx/rules/branch_form.h"

namespace warplens::ptx {
namespace {

constexpr int kReturnAddress = 2;

class SavedRegisters {
 public:
  SavedRegisters(const Module& module, const Function& function)
      : module_(module), function_(function), facts_(facts_of(module, function)) {}

  int words() {
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b)
      walk(b, [&](std::uint32_t i, const std::set<RegisterId>& after, const Uses& uses) {
        if (!is_call(i)) return;
        calls_.push_back(b);
        for (const RegisterId reg : after)
          if (std::ranges::find(uses.writes, reg) == uses.writes.end()) across_.insert(reg);
      });
    if (calls_.empty()) return 0;
    leave_out_constants();
    return kReturnAddress + regions() + pressure();
  }

 private:
  bool is_call(std::uint32_t i) const {
    const Instruction& instruction = function_.instructions[i];
    if (module_.form(instruction).opcode != Opcode::Call || instruction.operands.empty()) return false;
    const Function* callee = module_.find_function(instruction.operands[0].symbol);
    return callee != nullptr && !callee->is_extern;
  }

  // Visits the instructions of a block from its end with the registers that are live behind each.
  template <typename Visit>
  void walk(std::uint32_t block, Visit visit) const {
    std::set<RegisterId> live;
    facts_->liveness().for_each_live_out(block, [&](RegisterId reg) { live.insert(reg); });
    for (std::uint32_t i = function_.blocks[block].last; i-- > function_.blocks[block].first;) {
      const Uses& uses = facts_->uses()[i];
      visit(i, live, uses);
      if (function_.instructions[i].guard.predicate == kNone)
        for (const RegisterId reg : uses.writes) live.erase(reg);
      live.insert(uses.reads.begin(), uses.reads.end());
    }
  }

  void leave_out_constants() {
    std::set<RegisterId> made, otherwise;
    for (const Instruction& instruction : function_.instructions) {
      const bool constant = module_.form(instruction).opcode == Opcode::Mov &&
                            instruction.operands.size() == 2 &&
                            (instruction.operands[1].kind == OperandKind::Integer ||
                             instruction.operands[1].kind == OperandKind::Float ||
                             instruction.operands[1].kind == OperandKind::Symbol);
      for (const RegisterId reg : uses_of(module_, function_, instruction).writes)
        (constant ? made : otherwise).insert(reg);
    }
    std::erase_if(across_, [&](RegisterId reg) { return made.contains(reg) && !otherwise.contains(reg); });
  }

  int words_of(RegisterId reg) const {
    const Type type = function_.registers[reg].type;
    return type == Type::Pred ? 1 : std::max(1, size_of(type) / 4);
  }

  int pressure() const {
    int most = 0;
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b)
      walk(b, [&](std::uint32_t, const std::set<RegisterId>& after, const Uses&) {
        int now = 0;
        for (const RegisterId reg : after)
          if (across_.contains(reg)) now += words_of(reg);
        most = std::max(most, now);
      });
    return most;
  }

  // The blocks between a branch and the place where its ways meet again.
  std::vector<bool> region_of(std::uint32_t branch) const {
    const std::uint32_t meet = function_.blocks[branch].immediate_post_dominator;
    std::vector<bool> inside(function_.blocks.size(), false);
    std::vector<std::uint32_t> open = function_.blocks[branch].successors;
    while (!open.empty()) {
      work_step();
      const std::uint32_t b = open.back();
      open.pop_back();
      if (b == meet || inside[b]) continue;
      inside[b] = true;
      open.insert(open.end(), function_.blocks[b].successors.begin(), function_.blocks[b].successors.end());
    }
    return inside;
  }

  // Most places to meet again that one call lies in front of.
  int regions() const {
    const ExecutedBranches executed = executed_branches(module_, function_);
    std::vector<std::set<std::uint32_t>> meets(calls_.size());
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
      const BasicBlock& block = function_.blocks[b];
      if (block.successors.size() < 2 || executed.forms[block.last - 1] == BranchForm::Removed) continue;
      const std::vector<bool> inside = region_of(b);
      for (std::size_t c = 0; c < calls_.size(); ++c)
        if (inside[calls_[c]]) meets[c].insert(block.immediate_post_dominator);
    }
    std::size_t most = 0;
    for (const auto& places : meets) most = std::max(most, places.size());
    return static_cast<int>(most);
  }

  const Module& module_;
  const Function& function_;
  const std::shared_ptr<const FunctionFacts> facts_;
  std::vector<std::uint32_t> calls_;  // blocks
  std::set<RegisterId> across_;
};

}  // namespace

// What the machine code stores in local memory although the PTX does not.
int machine_saved_words(const Module& module, const Function& function) {
  if (function.is_entry || function.is_extern) return 0;
  int bytes = 0;
  for (const MachineInstruction& machine : function.machine) {
    if (machine.op != MachineOp::Store || machine.space != StateSpace::Local) continue;
    const bool written = machine.made_of < function.instructions.size() &&
                         module.form(function.instructions[machine.made_of]).opcode == Opcode::St;
    if (!written) bytes += machine.bytes;
  }
  return bytes / 4;
}

int saved_words(const Module& module, const Function& function) {
  if (function.is_entry || function.is_extern || is_giant(function)) return 0;
  if (!facts_of(module, function)->reached().symbols.contains(function.name)) return 0;
  return SavedRegisters(module, function).words();
}

}  // namespace warplens::ptx
