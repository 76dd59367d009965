#include "engine/ptx/machine/machine_accesses.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/vector_parts.h"

namespace warplens::ptx {
namespace {

bool touches_memory(StateSpace space) {
  return space == StateSpace::Global || space == StateSpace::Shared || space == StateSpace::SharedCluster ||
         space == StateSpace::Local || space == StateSpace::Generic;
}

// A spill bears the line of what it stands beside, which may be an access to other memory.
bool may_be_of(StateSpace machine, StateSpace written) {
  if (written == StateSpace::Generic || machine == StateSpace::Generic) return true;
  return machine == (written == StateSpace::SharedCluster ? StateSpace::Shared : written);
}

bool is_plain_access(const Form& form) {
  return (form.opcode == Opcode::Ld || form.opcode == Opcode::St) && touches_memory(form.space);
}

// An ld or st of the PTX and the width of what the machine makes of it; 0: nothing.
struct Access {
  std::uint32_t instruction = 0;
  std::int64_t offset = 0;
  int written = 0, executed = 0;
  int zeros = 0;  // known low zero bits of the base
};

using Neighbours = std::map<std::tuple<bool, StateSpace, std::uint32_t, std::int64_t>, std::vector<Access>>;

std::int64_t aligned_down(std::int64_t offset, std::int64_t width) {
  const std::int64_t rest = offset % width;
  return offset - (rest < 0 ? rest + width : rest);
}

class Follower {
 public:
  Follower(const Module& module, const Function& function, std::vector<ExecutedAs>& out)
      : module_(module),
        function_(function),
        out_(out),
        parts_(module, function),
        says_(function.instructions.size(), MachineSays::Nothing),
        widths_(function.instructions.size(), 0) {
    for (const MachineInstruction& machine : function.machine) {
      if (machine.made_of >= widths_.size()) continue;
      const Form& form = module.form(function.instructions[machine.made_of]);
      const bool load = machine.op == MachineOp::Load && form.opcode == Opcode::Ld;
      const bool store = machine.op == MachineOp::Store && form.opcode == Opcode::St;
      if ((load || store) && may_be_of(machine.space, form.space))
        widths_[machine.made_of] = std::max<int>(widths_[machine.made_of], machine.bytes);
      // A spill tells nothing of what it stands beside.
      const bool own = is_plain_access(form) ? widths_[machine.made_of] > 0
                                             : accesses(machine.op) && machine.space != StateSpace::Local;
      if (own)
        says_[machine.made_of] =
            machine.op == MachineOp::Reduction ? MachineSays::Reduction : MachineSays::Access;
    }
  }

  std::vector<MachineSays> run() {
    AddressForms forms(module_, function_);
    Neighbours neighbours;
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
      forms.enter_block();
      for (std::uint32_t i = function_.blocks[b].first; i < function_.blocks[b].last; ++i) {
        const Instruction& instruction = function_.instructions[i];
        const Form& form = module_.form(instruction);
        const Operand* const operand = is_plain_access(form) ? address_of(form, instruction) : nullptr;
        if (operand != nullptr) {
          const LinearForm address = forms.address(*operand);
          neighbours[{form.opcode == Opcode::Ld, form.space, address.base, address.symbol}].push_back(
              {i, address.offset, bytes_as_written(form), widths_[i], address.zeros});
        }
        forms.execute(instruction);
      }
    }
    for (auto& [key, accesses] : neighbours) follow(std::get<1>(key), accesses);
    return std::move(says_);
  }

 private:
  static bool accesses(MachineOp op) { return op >= MachineOp::Load && op <= MachineOp::UniformConstant; }

  void follow(StateSpace space, const std::vector<Access>& accesses) {
    std::vector<std::uint32_t> absent;
    for (const Access& access : accesses) {
      if (access.executed == 0) {
        absent.push_back(access.instruction);
        missing_.insert(access.instruction);
        continue;
      }
      ExecutedAs& as = out_[access.instruction];
      as = {access.instruction, access.executed, false, part_of(access)};
    }
    // Wider ones first: they are what the others were joined into.
    for (const Access& leader : accesses)
      if (leader.executed > leader.written) join(leader, accesses);
    for (const Access& leader : accesses)
      if (leader.executed != 0) take(leader, accesses);
    // What is left of local memory lives in registers. Elsewhere ptxas may have put two accesses on different
    // ways into one that bears the other's line: the rules' answer stands.
    for (const std::uint32_t i : absent)
      if (space == StateSpace::Local && missing_.contains(i)) {
        out_[i].leader = i;
        out_[i].in_registers = true;
        says_[i] = MachineSays::Access;
      }
  }

  // Of a vector load that is narrower than written, where the part that is loaded begins.
  std::int64_t part_of(const Access& access) const {
    const Instruction& instruction = function_.instructions[access.instruction];
    const bool part = access.executed < access.written && module_.form(instruction).opcode == Opcode::Ld;
    return part ? parts_.first_needed(instruction, access.executed) : 0;
  }

  // The window of the leader's width that holds it, is aligned as far as the base is known to be, and holds
  // most of those that have no access of their own.
  void join(const Access& leader, const std::vector<Access>& accesses) {
    const std::int64_t width = leader.executed;
    const std::int64_t known = std::min<std::int64_t>(width, std::int64_t{1} << std::min(leader.zeros, 4));
    std::int64_t best = aligned_down(leader.offset, width);
    std::size_t most = members(best, width, leader, accesses).size();
    for (std::int64_t start = aligned_down(leader.offset, known); known < width; start -= known) {
      if (start + width < leader.offset + leader.written) break;
      const std::size_t count = members(start, width, leader, accesses).size();
      if (count > most) best = start, most = count;
    }
    out_[leader.instruction].offset = best - leader.offset;
  }

  // Makes `leader` the leader of those that its window holds.
  void take(const Access& leader, const std::vector<Access>& accesses) {
    const std::int64_t start = leader.offset + out_[leader.instruction].offset;
    for (const std::uint32_t member : members(start, leader.executed, leader, accesses)) {
      out_[member].leader = leader.instruction;
      out_[member].bytes = 0;
      out_[member].in_registers = false;
      says_[member] = MachineSays::Access;
      missing_.erase(member);
    }
  }

  // Those without an access of their own, and without a leader, inside of a window.
  std::vector<std::uint32_t> members(std::int64_t start, std::int64_t width, const Access& leader,
                                     const std::vector<Access>& accesses) const {
    std::vector<std::uint32_t> found;
    for (const Access& access : accesses)
      if (access.instruction != leader.instruction && missing_.contains(access.instruction) &&
          access.offset >= start && access.offset + access.written <= start + width)
        found.push_back(access.instruction);
    return found;
  }

  const Module& module_;
  const Function& function_;
  std::vector<ExecutedAs>& out_;
  VectorParts parts_;
  std::vector<MachineSays> says_;
  std::set<std::uint32_t> missing_;  // without an access of their own and without a leader
  std::vector<int> widths_;          // bytes a lane of the machine access made of each instruction; 0: none
};

}  // namespace

std::vector<MachineSays> follow_machine_accesses(const Module& module, const Function& function,
                                                 std::vector<ExecutedAs>& out) {
  return Follower(module, function, out).run();
}

}  // namespace warplens::ptx
