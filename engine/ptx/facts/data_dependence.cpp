#include "engine/ptx/facts/data_dependence.h"

#include <algorithm>
#include <memory>

#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/pointees.h"

namespace warplens::ptx {
namespace {

// Contents of parameter i: bit i. The last bits stand for several parameters and for memory nobody can name.
using Set = std::uint64_t;
constexpr std::size_t kMostParameters = 62;
constexpr Set kAny = Set{1} << 63;
// Sets only grow, and code is nearly in the order of its data: what takes longer is no compiler's work.
constexpr int kMostTurns = 32;

bool is_access(const Form& form) {
  switch (form.effects().memory) {
    case MemoryUse::None:
    case MemoryUse::Barrier:
    case MemoryUse::Name:
    case MemoryUse::Ask:
      return form.opcode == Opcode::Multimem;
    default:
      return true;
  }
}
bool turns(const Form& form) {
  const Effects& effects = form.effects();
  return effects.control == Control::Branch || effects.control == Control::Table ||
         effects.control == Control::Barrier || effects.ends_thread();
}
bool writes(const Form& form) {
  switch (form.effects().memory) {
    case MemoryUse::Store:
    case MemoryUse::StoreMatrix:
    case MemoryUse::Atomic:
    case MemoryUse::Reduce:
      return true;
    default:
      return form.opcode == Opcode::Sust || form.has(Modifier::Store);
  }
}

class Follow {
 public:
  Follow(const Module& module, const Function& entry, const std::vector<std::uint32_t>& by_value = {})
      : module_(module),
        entry_(entry),
        pointees_(Pointees::compute(module, entry)),
        facts_(facts_of(module, entry)),
        uses_(facts_->uses()) {
    registers_.assign(entry.registers.size(), 0);
    stored_.assign(std::min(entry.parameters.size(), kMostParameters), 0);
    for (const std::uint32_t i : by_value)
      if (i < stored_.size()) by_value_ |= Set{1} << i;
  }

  DataDependence run() {
    settle();
    Set addresses = 0, branches = 0;
    for (std::size_t i = 0; i < entry_.instructions.size(); ++i) {
      const Instruction& in = entry_.instructions[i];
      const Form& form = module_.form(in);
      const bool access = is_access(form) && form.space != StateSpace::Param;
      if (access)
        for (const Operand& operand : in.operands) addresses |= address_of(operand);
      if (access || turns(form)) branches |= guard_of(in);
      if (form.opcode == Opcode::Brx) branches |= read_by(i);
    }
    return {named(addresses), named(branches)};
  }

  std::vector<std::uint32_t> sources(int ptx_line) {
    settle();
    Set all = 0;
    bool found = false;
    for (const Instruction& in : entry_.instructions) {
      if (in.line != ptx_line) continue;
      found = true;
      for (const Operand& operand : in.operands) all |= address_of(operand);
    }
    if ((all & ~kAny) != 0) all &= ~kAny;  // what is known says enough
    return named(found ? all : by_value_ | kAny);
  }

 private:
  void settle() {
    for (int turn = 0; step(); ++turn)
      if (turn == kMostTurns) return std::fill(registers_.begin(), registers_.end(), kAny);
  }
  Set of(RegisterId reg) const { return reg < registers_.size() ? registers_[reg] : 0; }
  Set guard_of(const Instruction& in) const {
    return in.guard.predicate == kNone ? 0 : of(in.guard.predicate);
  }
  Set read_by(std::size_t i) const {
    Set all = 0;
    for (const RegisterId reg : uses_[i].reads) all |= of(reg);
    return all;
  }
  Set address_of(const Operand& operand) const {
    if (operand.kind != OperandKind::Address) return 0;
    Set all = operand.reg == kNone ? 0 : of(operand.reg);
    for (const Operand& element : operand.elements) all |= value_of(element);
    return all;
  }
  Set value_of(const Operand& operand) const {
    Set all = operand.reg == kNone ? 0 : of(operand.reg);
    for (const Operand& element : operand.elements) all |= value_of(element);
    return all;
  }

  // Every memory that an access may reach; `visit` gets what it holds now, and whether that is a parameter's.
  template <typename Visit>
  void places(const Form& form, const Operand& address, Visit visit) {
    if (form.space == StateSpace::Shared || form.space == StateSpace::SharedCluster)
      return visit(shared_, Set{0});
    if (form.space == StateSpace::Local) return visit(local_, Set{0});
    const std::vector<std::string> names = pointees_.of(address);
    for (const std::string& name : names) {
      const auto at = std::ranges::find(entry_.parameters, name, &Variable::name);
      const auto i = static_cast<std::size_t>(at - entry_.parameters.begin());
      // What is no parameter is a variable of the program: it holds what the program put there.
      if (at == entry_.parameters.end())
        visit(variables_, Set{0});
      else if (i < stored_.size())
        visit(stored_[i], Set{1} << i);
      else
        visit(variables_, kAny);
    }
    if (names.empty()) visit(variables_, form.space == StateSpace::Const ? 0 : kAny);
  }

  // Of a structure that is followed: its own bytes.
  Set bytes_of(const Operand& operand) const {
    if (by_value_ == 0 || operand.symbol.empty()) return 0;
    const auto at = std::ranges::find(entry_.parameters, operand.symbol, &Variable::name);
    return by_value_ & (Set{1} << std::min<std::ptrdiff_t>(at - entry_.parameters.begin(), kMostParameters));
  }

  Set held_at(const Form& form, const Operand& address) {
    if (form.space == StateSpace::Param) return bytes_of(address);
    Set all = 0;
    places(form, address, [&](Set& kept, Set own) { all |= kept | own; });
    return all;
  }
  bool keep(const Form& form, const Operand& address, Set set) {
    bool changed = false;
    places(form, address, [&](Set& kept, Set) {
      changed = changed || (kept | set) != kept;
      kept |= set;
    });
    return changed;
  }

  // What an access leaves in memory; a copy from global to shared memory names both.
  bool store(const Instruction& in, const Form& form, Set set) {
    if (form.opcode == Opcode::Cp) {
      if (in.operands.size() < 2) return false;
      Form from = form;
      from.space = StateSpace::Global;
      set |= held_at(from, in.operands[1]);
      const bool changed = (shared_ | set) != shared_;
      shared_ |= set;
      return changed;
    }
    if (!writes(form) || form.space == StateSpace::Param) return false;
    bool changed = false;
    for (const Operand& operand : in.operands)
      if (operand.kind == OperandKind::Address) changed = keep(form, operand, set) || changed;
    return changed;
  }

  bool step() {
    bool changed = false;
    for (std::size_t i = 0; i < entry_.instructions.size(); ++i) {
      const Instruction& in = entry_.instructions[i];
      const Form& form = module_.form(in);
      Set set = read_by(i) | guard_of(in);
      if (by_value_ != 0)  // mov and cvta of its address
        for (const Operand& operand : in.operands) set |= bytes_of(operand);
      if (is_access(form)) {
        changed = store(in, form, set) || changed;
        for (const Operand& operand : in.operands)
          if (operand.kind == OperandKind::Address) set |= held_at(form, operand);
      }
      if (form.opcode == Opcode::Call && calls_memory()) set |= kAny;
      for (const RegisterId reg : uses_[i].writes) {
        if (reg >= registers_.size()) continue;
        changed = changed || (registers_[reg] | set) != registers_[reg];
        registers_[reg] |= set;
      }
    }
    return changed;
  }

  // Whether some function besides the kernel reads memory: what a call returns is then anybody's.
  bool calls_memory() const {
    return std::ranges::any_of(module_.functions, [&](const Function& f) {
      return !f.is_entry && std::ranges::any_of(f.instructions, [&](const Instruction& in) {
        const Form& form = module_.form(in);
        return is_access(form) && form.space != StateSpace::Param && form.space != StateSpace::Local;
      });
    });
  }

  std::vector<std::uint32_t> named(Set set) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < entry_.parameters.size(); ++i) {
      const bool pointer = size_of(entry_.parameters[i].type) == 8 && !entry_.parameters[i].is_array;
      const bool own = i < kMostParameters && (set >> i & 1) != 0;
      if (own || ((set & kAny) != 0 && pointer)) out.push_back(i);
    }
    return out;
  }

  const Module& module_;
  const Function& entry_;
  Pointees pointees_;
  const std::shared_ptr<const FunctionFacts> facts_;
  const std::vector<Uses>& uses_;
  std::vector<Set> registers_, stored_;
  Set shared_ = 0, local_ = 0, variables_ = 0, by_value_ = 0;
};

}  // namespace

DataDependence data_dependence(const Module& module, const Function& entry) {
  return Follow(module, entry).run();
}

std::vector<std::uint32_t> address_sources(const Module& module, const Function& entry, int ptx_line,
                                           const std::vector<std::uint32_t>& by_value) {
  return Follow(module, entry, by_value).sources(ptx_line);
}

}  // namespace warplens::ptx
