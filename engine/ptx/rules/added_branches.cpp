#include "engine/ptx/rules/added_branches.h"

#include "engine/ptx/facts/constant_registers.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

bool exchanges(const Form& form) {
  return (form.opcode == Opcode::Shfl || form.opcode == Opcode::Vote) && form.has(Modifier::Sync);
}

// Whether the callee's RET is the program's own: not that of a routine of the system.
bool returns(const Module& module, const Instruction& call) {
  if (call.operands.empty() || call.operands[0].kind != OperandKind::Symbol) return true;
  const Function* const callee = module.find_function(call.operands[0].symbol);
  return callee == nullptr || !callee->is_extern;
}

// Shuffles and votes of the whole warp where the compiler cannot know that it is whole.
void add_tests_of_presence(const Module& module, const Function& function, std::vector<std::uint32_t>& out) {
  if (!function.is_entry) return;
  bool any = false;
  for (const Instruction& instruction : function.instructions) any |= exchanges(module.form(instruction));
  if (!any) return;
  const auto facts = facts_of(module, function);
  const std::vector<bool>& parted = facts->parted();
  const ConstantRegisters constants(module, function);
  for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
    if (!parted[b]) continue;
    for (std::uint32_t i = function.blocks[b].first; i < function.blocks[b].last; ++i) {
      const Instruction& instruction = function.instructions[i];
      const Form& form = module.form(instruction);
      if (form.opcode == Opcode::Bar && form.has(Modifier::Warp)) break;
      if (!exchanges(form)) continue;
      const auto mask = constants.value(instruction.operands.back());
      if (mask && static_cast<std::uint32_t>(*mask) == 0xffffffffu) out[i] += 1;
      break;
    }
  }
}

}  // namespace

std::vector<std::uint32_t> added_branches(const Module& module, const Function& function,
                                          const ExecutedBranches& branches) {
  std::vector<std::uint32_t> out(function.instructions.size(), 0);
  for (const std::uint32_t i : branches.jump_after) out[i] += 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (module.form(instruction).opcode == Opcode::Call) out[i] += returns(module, instruction) ? 2 : 1;
  }
  return out;
}

void add_foretold_branches(const Module& module, const Function& function, std::vector<std::uint32_t>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    out[i] += execution_of(module.form(instruction), &instruction) == Execution::Subroutine;
  }
  add_tests_of_presence(module, function, out);
}

}  // namespace warplens::ptx
