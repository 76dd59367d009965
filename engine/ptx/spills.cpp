#include "engine/ptx/spills.h"

#include <algorithm>
#include <map>

#include "engine/ptx/unrolled_loops.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kWord = 4;  // bytes
constexpr std::uint32_t kUnrolledCopies = 4 + 2 + 1;

bool is_local(const MachineInstruction& machine) {
  return machine.space == StateSpace::Local &&
         (machine.op == MachineOp::Load || machine.op == MachineOp::Store);
}

// An access to a local array, or one through a generic address that ptxas knows to be local.
bool is_written(const Module& module, const Instruction& instruction) {
  const Form& form = module.form(instruction);
  return (form.opcode == "ld" || form.opcode == "st") &&
         (form.space == StateSpace::Local || form.space == StateSpace::Generic);
}

}  // namespace

std::vector<Spill> spills(const Module& module, const Function& function) {
  if (!function.is_entry || function.instructions.empty()) return {};
  std::map<std::uint32_t, Spill> found;
  for (const MachineInstruction& machine : function.machine) {
    if (!is_local(machine)) continue;
    // What bears no line of an instruction stands at the entry.
    const std::uint32_t i = machine.made_of < function.instructions.size() ? machine.made_of : 0;
    if (is_written(module, function.instructions[i])) continue;
    Spill& spill = found[i];
    spill.instruction = i;
    (machine.op == MachineOp::Store ? spill.stored : spill.loaded) +=
        std::max<std::uint32_t>(1, machine.bytes / kWord);
  }
  std::vector<Spill> out;
  if (found.empty()) return out;
  const std::vector<UnrolledLoop> loops = unrolled_loops(module, function);
  for (auto& [i, spill] : found) {
    const bool unrolled = std::ranges::any_of(
        loops, [&](const UnrolledLoop& loop) { return i >= loop.first && i <= loop.branch; });
    spill.copies = unrolled ? kUnrolledCopies : 1;
    out.push_back(spill);
  }
  return out;
}

}  // namespace warplens::ptx
