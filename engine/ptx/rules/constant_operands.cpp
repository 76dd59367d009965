#include "engine/ptx/rules/constant_operands.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

bool is_logic(const Form& form) {
  const Meaning meaning = form.effects().meaning;
  return meaning == Meaning::And || meaning == Meaning::Or || meaning == Meaning::Xor;
}

// Takes its operand from constant memory whatever else it reads, or takes none.
bool asks_for_nothing(const Form& form) {
  const Effects& effects = form.effects();
  return effects.memory == MemoryUse::Load || effects.meaning == Meaning::Move ||
         effects.control == Control::Branch || effects.control == Control::Call ||
         effects.control == Control::Return;
}

class Search {
 public:
  Search(const Module& module, const Function& function, const std::vector<bool>& predicated)
      : module_(module),
        function_(function),
        facts_(facts_of(module, function)),
        free_(function.instructions.size(), false) {
    find_loads(predicated);
    if (std::ranges::none_of(free_, [](bool is) { return is; })) return;
    find_values();
    for (std::uint32_t i = 0; i < free_.size(); ++i) look_at(i);
  }
  std::vector<bool> take() { return std::move(free_); }

 private:
  struct Value {
    std::uint32_t written_by = kNone, times_written = 0, times_read = 0;
  };

  const Form& form(std::uint32_t i) const { return module_.form(function_.instructions[i]); }

  void find_loads(const std::vector<bool>& predicated) {
    const Uniformity& uniformity = facts_->uniformity();
    const std::vector<bool>& parted = facts_->parted();
    std::set<RegisterId> descending;  // bases that some load reads in front of
    const auto address_of = [&](std::uint32_t i) -> const Operand* {
      const Instruction& in = function_.instructions[i];
      const bool loads = form(i).opcode == Opcode::Ld && form(i).space == StateSpace::Const;
      return loads && in.operands.size() > 1 && in.operands[1].kind == OperandKind::Address ? &in.operands[1]
                                                                                            : nullptr;
    };
    for (std::uint32_t i = 0; i < free_.size(); ++i)
      if (const Operand* address = address_of(i); address != nullptr && address->value < 0)
        descending.insert(address->reg);
    for (std::uint32_t i = 0; i < free_.size(); ++i) {
      const Operand* address = address_of(i);
      if (address == nullptr || predicated[function_.block_of[i]]) continue;
      // An address in a register has to be computed there as well, by all lanes together.
      const bool computed = uniformity.uniform(*address) && !parted[function_.block_of[i]] &&
                            !descending.contains(address->reg);
      free_[i] = address->reg == kNone || computed;
    }
  }

  void find_values() {
    values_.resize(function_.registers.size());
    for (std::uint32_t i = 0; i < free_.size(); ++i) {
      const Uses& uses = facts_->uses()[i];
      for (const RegisterId reg : uses.reads)
        if (reg < values_.size()) ++values_[reg].times_read;
      for (const RegisterId reg : uses.writes)
        if (reg < values_.size()) values_[reg].written_by = i, ++values_[reg].times_written;
    }
  }

  // The instruction that writes the register, where only one does.
  std::uint32_t origin(const Operand& operand) const {
    if (operand.kind != OperandKind::Register || operand.reg >= values_.size()) return kNone;
    return values_[operand.reg].times_written == 1 ? values_[operand.reg].written_by : kNone;
  }

  // What becomes one instruction with the operation that reads it: a sum of three, logic of three.
  bool joins(std::uint32_t inner, std::uint32_t outer) const {
    if (inner == kNone || function_.block_of[inner] != function_.block_of[outer]) return false;
    const auto kind = [&](std::uint32_t i) {
      const Form& f = form(i);
      if (is_float(f.type()) || size_of(f.type()) != 4) return 0;
      return f.opcode == Opcode::Add ? 1 : is_logic(f) ? 2 : 0;
    };
    const RegisterId result = function_.instructions[inner].operands.front().reg;
    return kind(inner) != 0 && kind(inner) == kind(outer) && values_[result].times_read == 1;
  }

  std::vector<const Operand*> operands_of(std::uint32_t i) const {
    std::vector<const Operand*> out;
    const std::vector<Operand>& operands = function_.instructions[i].operands;
    for (std::size_t k = 1; k < operands.size(); ++k) {
      const std::uint32_t inner = origin(operands[k]);
      if (!joins(inner, i)) {
        out.push_back(&operands[k]);
        continue;
      }
      const std::vector<Operand>& more = function_.instructions[inner].operands;
      for (std::size_t m = 1; m < more.size(); ++m) out.push_back(&more[m]);
    }
    return out;
  }

  void look_at(std::uint32_t i) {
    const Form& f = form(i);
    if (asks_for_nothing(f)) return;
    const bool calls = execution_of(f, &function_.instructions[i]) == Execution::Subroutine;
    int seen = f.opcode == Opcode::St || calls ? 1 : 0;  // these take none at all
    const std::vector<const Operand*> operands = operands_of(i);
    if (operands.size() > 3) return;  // a sum of sums stays two instructions
    for (const Operand* operand : operands) {
      const std::uint32_t from = origin(*operand);
      if (from == kNone) continue;
      if (!free_[from] && form(from).space != StateSpace::Param) continue;
      if (seen++ > 0) free_[from] = false;
    }
  }

  const Module& module_;
  const Function& function_;
  const std::shared_ptr<const FunctionFacts> facts_;
  std::vector<bool> free_;
  std::vector<Value> values_;  // of each register
};

// Where the machine code is known: what is no LDC there. An LDC bears the line of the load, or of the
// instruction that needs the value.
class MachineLoads {
 public:
  MachineLoads(const Module& module, const Function& function)
      : module_(module), function_(function), free_(function.instructions.size()) {
    for (std::uint32_t i = 0; i < free_.size(); ++i) {
      free_[i] = is_constant_load(i);
      if (!free_[i]) continue;
      for (const RegisterId reg : uses_of(module, function, function.instructions[i]).writes)
        loads_of_[reg].push_back(i);
    }
  }

  std::vector<bool> take() {
    std::map<std::uint32_t, int> loads;  // instruction -> LDCs that bear its line
    for (const MachineInstruction& machine : function_.machine)
      if (machine.op == MachineOp::ConstantLoad && machine.made_of < free_.size()) ++loads[machine.made_of];
    for (const auto& [instruction, count] : loads)
      if (is_constant_load(instruction))
        free_[instruction] = false;
      else
        charge_operands(instruction, count);
    return std::move(free_);
  }

 private:
  bool is_constant_load(std::uint32_t i) const {
    const Form& form = module_.form(function_.instructions[i]);
    return form.opcode == Opcode::Ld && form.space == StateSpace::Const;
  }

  // The last load of an operand in front of the instruction.
  void charge_operands(std::uint32_t instruction, int count) {
    for (const RegisterId reg : uses_of(module_, function_, function_.instructions[instruction]).reads) {
      const auto loads = loads_of_.find(reg);
      if (loads == loads_of_.end() || count == 0) continue;
      const auto behind = std::ranges::upper_bound(loads->second, instruction);
      const std::uint32_t load = behind == loads->second.begin() ? loads->second.back() : *std::prev(behind);
      if (!free_[load]) continue;
      free_[load] = false;
      --count;
    }
  }

  const Module& module_;
  const Function& function_;
  std::vector<bool> free_;
  std::map<RegisterId, std::vector<std::uint32_t>> loads_of_;  // in the order of the text
};

}  // namespace

std::vector<bool> free_constants(const Module& module, const Function& function,
                                 const std::vector<bool>& predicated) {
  return Search(module, function, predicated).take();
}

std::vector<bool> machine_free_constants(const Module& module, const Function& function) {
  return MachineLoads(module, function).take();
}

}  // namespace warplens::ptx
