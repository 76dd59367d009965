#include "engine/ptx/rules/spills.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kWord = 4;  // bytes

bool is_local(const MachineInstruction& machine) {
  return machine.space == StateSpace::Local &&
         (machine.op == MachineOp::Load || machine.op == MachineOp::Store);
}

// An access to a local array, or one through a generic address that ptxas knows to be local.
bool is_written(const Module& module, const Instruction& instruction) {
  const Form& form = module.form(instruction);
  return (form.opcode == Opcode::Ld || form.opcode == Opcode::St) &&
         (form.space == StateSpace::Local || form.space == StateSpace::Generic);
}

// How many turns of a PTX block one run of a machine block makes: as often as most of its instructions stand
// there. An unrolled loop holds them four times in one machine block, and what is left over in others.
class Turns {
 public:
  Turns(const Function& function, const MachineBlocks& blocks) : function_(function) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies;  // machine block, instruction
    for (std::uint32_t m = 0; m < function.machine.size(); ++m) {
      const MachineInstruction& machine = function.machine[m];
      if (!is_local(machine) && machine.made_of < function.block_of.size())
        ++copies[{blocks.block_of[m], machine.made_of}];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, int>> votes;
    for (const auto& [place, count] : copies) ++votes[{place.first, function.block_of[place.second]}][count];
    for (const auto& [place, counts] : votes) {
      const auto usual = std::ranges::max_element(counts, {}, [](const auto& vote) { return vote.second; });
      turns_[place] = usual->first;
    }
  }

  std::uint32_t of(std::uint32_t machine_block, std::uint32_t instruction) const {
    const auto found = turns_.find({machine_block, function_.block_of[instruction]});
    return found == turns_.end() ? 1 : found->second;
  }

 private:
  const Function& function_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> turns_;  // machine block, PTX block
};

}  // namespace

// Those under a predicate are left out: they stand in the rare cases of divisions.
std::vector<Spill> spills(const Module& module, const Function& function) {
  if (!function.is_entry || function.instructions.empty()) return {};
  if (std::ranges::none_of(function.machine, is_local)) return {};
  const auto facts = facts_of(module, function);
  const MachineBlocks& blocks = facts->machine_blocks();
  if (blocks.blocks.empty()) return {};
  const Turns turns(function, blocks);
  std::map<std::uint32_t, Spill> found;
  for (std::uint32_t m = 0; m < function.machine.size(); ++m) {
    const MachineInstruction& machine = function.machine[m];
    if (!is_local(machine) || machine.guarded) continue;
    const bool known = machine.made_of < function.instructions.size();
    if (known && is_written(module, function.instructions[machine.made_of])) continue;
    const MachineBlock& block = blocks.blocks[blocks.block_of[m]];
    if (!block.normal) continue;
    const std::uint32_t as = block.runs_as != kNone ? block.runs_as : block.mostly;
    if (as == kNone) continue;
    Spill& spill = found[as];
    spill.instruction = as;
    spill.copies = std::max(spill.copies, turns.of(blocks.block_of[m], as));
    (machine.op == MachineOp::Store ? spill.stored : spill.loaded) +=
        std::max<std::uint32_t>(1, machine.bytes / kWord);
  }
  std::vector<Spill> out;
  for (const auto& [instruction, spill] : found) out.push_back(spill);
  return out;
}

}  // namespace warplens::ptx
