#include "engine/ptx/facts/unrolled_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/function_facts.h"
#include "engine/ptx/facts/giant.h"
#include "engine/ptx/facts/machine_cost.h"

namespace warplens::ptx {
namespace {

// Of each access in the machine code, and one more where the first turn's loads stand in front.
constexpr int kCopies = 4 + 2 + 1;
constexpr int kLargestBody = 44;  // machine instructions, as MachineCost counts them
constexpr int kLargestBodyWithChoices = 28;

bool is_costly(const Form& form) {
  return form.effects().is(kLong) || form.space == StateSpace::Local;
}

class Finder {
 public:
  Finder(const Module& module, const Function& function)
      : module_(module), function_(function), costs_(module, function) {}

  std::vector<UnrolledLoop> find() {
    std::vector<UnrolledLoop> found;
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
      const std::vector<std::uint32_t>& successors = function_.blocks[b].successors;
      for (const std::uint32_t first : successors)
        if (first <= b && is_whole(first, b))
          if (auto loop = examine(first, b)) found.push_back(*loop);
    }
    if (found.empty()) return found;
    const auto facts = facts_of(module_, function_);
    for (UnrolledLoop& loop : found)
      loop.uniform = facts->uniformity().uniform(function_.instructions[loop.branch].guard.predicate);
    return found;
  }

 private:
  // Whether blocks `first` to `last` are a loop that is entered at its first block and left from its last.
  bool is_whole(std::uint32_t first, std::uint32_t last) const {
    const auto inside = [&](std::uint32_t b) { return b >= first && b <= last; };
    for (std::uint32_t b = first; b <= last; ++b) {
      work_step();
      const BasicBlock& block = function_.blocks[b];
      if (b != first && !std::ranges::all_of(block.predecessors, inside)) return false;
      if (b == last) continue;
      if (block.successors.empty()) return false;
      for (const std::uint32_t next : block.successors)
        if (next <= b || !inside(next)) return false;
    }
    return true;
  }

  std::optional<UnrolledLoop> examine(std::uint32_t first, std::uint32_t index) const {
    const BasicBlock& block = function_.blocks[index];
    const std::uint32_t branch = block.last - 1;
    const Instruction& jump = function_.instructions[branch];
    if (module_.form(jump).opcode != Opcode::Bra || jump.guard.predicate == kNone || jump.guard.negated)
      return std::nullopt;
    const Instruction* const test = test_of(block);
    if (test == nullptr) return std::nullopt;
    const std::uint32_t begin = function_.blocks[first].first;
    UnrolledLoop loop{begin, branch, module_.form(*test).has(Modifier::Ne), false};
    const auto copies = copies_of(begin, block.last);
    const bool unrolled = copies ? *copies == kCopies || *copies == kCopies + 1
                                 : first == index && is_likely(index, *test, loop.ends_by_equality);
    return unrolled ? std::optional(loop) : std::nullopt;
  }

  // The comparison that ends the loop, when there is one alone.
  const Instruction* test_of(const BasicBlock& block) const {
    const RegisterId asked = function_.instructions[block.last - 1].guard.predicate;
    const Instruction* test = nullptr;
    for (std::uint32_t i = block.first; i + 1 < block.last; ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (module_.form(instruction).opcode != Opcode::Setp || instruction.operands.empty() ||
          instruction.operands[0].reg != asked)
        continue;
      if (test != nullptr) return nullptr;
      test = &instruction;
    }
    return test != nullptr && test->operands.size() == 3 ? test : nullptr;
  }

  // How often the machine code holds the loop's accesses; nothing when there is none of either.
  std::optional<int> copies_of(std::uint32_t begin, std::uint32_t end) const {
    if (function_.machine.empty()) return std::nullopt;
    std::map<std::uint32_t, int> copies;
    for (const MachineInstruction& machine : function_.machine)
      if (machine.made_of >= begin && machine.made_of < end && machine.space != StateSpace::None &&
          machine.space != StateSpace::Const)
        ++copies[machine.made_of];
    int most = 0;
    for (const auto& [instruction, count] : copies) most = std::max(most, count);
    return most > 0 ? std::optional(most) : std::nullopt;
  }

  // Whether ptxas would unroll it, as far as the rule knows.
  bool is_likely(std::uint32_t index, const Instruction& test, bool ends_by_equality) const {
    const BasicBlock& block = function_.blocks[index];
    if (marked(block)) return false;
    const Cost cost = costs_.block(index);
    if (cost.unfit || cost.instructions > kLargestBody) return false;
    if (copies_in_global_memory(block)) return false;
    bool chooses = false;
    for (std::uint32_t i = block.first; i + 1 < block.last; ++i) {
      const Instruction& instruction = function_.instructions[i];
      const Form& form = module_.form(instruction);
      if (is_costly(form) || instruction.guard.predicate != kNone) return false;
      chooses =
          chooses || form.opcode == Opcode::Selp || (form.opcode == Opcode::Setp && &instruction != &test);
    }
    if (chooses && cost.instructions > kLargestBodyWithChoices) return false;
    const Form& form = module_.form(test);
    const Operand& bound = test.operands[2];
    const bool ordered =
        form.has(Modifier::Lt) || form.has(Modifier::Le) || form.has(Modifier::Gt) || form.has(Modifier::Ge);
    if (!ends_by_equality && !ordered) return false;
    // Counting up to a constant: such loops are unrolled wholly or, from a bounded start, not at all.
    const bool counts_up = form.has(Modifier::Lt) || form.has(Modifier::Le);
    if (bound.kind == OperandKind::Integer ? counts_up : written_inside(block, bound.reg)) return false;
    return counts(block, test.operands[1]) && !starts_at_constant(block, test.operands[1].reg);
  }

  // A copy: at least as many stores to global memory as loads from it, and nothing that one turn hands to the
  // next but addresses and counters. Of 51 small loops ptxas 13.0 leaves all six such alone, and four others.
  bool copies_in_global_memory(const BasicBlock& block) const {
    int loads = 0, stores = 0;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Form& form = module_.form(function_.instructions[i]);
      if (form.space != StateSpace::Global && form.space != StateSpace::Generic) continue;
      loads += form.opcode == Opcode::Ld;
      stores += form.opcode == Opcode::St;
    }
    return loads > 0 && stores >= loads && !hands_on_a_value(block);
  }

  bool hands_on_a_value(const BasicBlock& block) const {
    std::set<RegisterId> written, from_before;
    std::vector<Uses> uses;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      uses.push_back(uses_of(module_, function_, function_.instructions[i]));
      for (const RegisterId reg : uses.back().reads)
        if (!written.contains(reg)) from_before.insert(reg);
      written.insert(uses.back().writes.begin(), uses.back().writes.end());
    }
    // r = r + step, the step from outside, is a counter or an address.
    return std::ranges::any_of(uses, [&](const Uses& use) {
      return std::ranges::any_of(use.writes, [&](RegisterId reg) {
        return from_before.contains(reg) && std::ranges::any_of(use.reads, [&](RegisterId read) {
                 return read != reg && written.contains(read);
               });
      });
    });
  }

  bool marked(const BasicBlock& block) const {
    return std::ranges::any_of(function_.pragmas, [&](const auto& pragma) {
      return pragma.first >= block.first && pragma.first < block.last &&
             pragma.second.find("nounroll") != std::string::npos;
    });
  }

  bool writes(const Instruction& instruction, RegisterId reg) const {
    const Uses uses = uses_of(module_, function_, instruction);
    return std::ranges::find(uses.writes, reg) != uses.writes.end();
  }

  bool written_inside(const BasicBlock& block, RegisterId reg) const {
    for (std::uint32_t i = block.first; i < block.last; ++i)
      if (writes(function_.instructions[i], reg)) return true;
    return false;
  }

  // add r, r, constant; and nothing else sets r in the loop.
  bool counts(const BasicBlock& block, const Operand& counter) const {
    if (counter.kind != OperandKind::Register) return false;
    bool steps = false;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (!writes(instruction, counter.reg)) continue;
      const auto& operands = instruction.operands;
      if (steps || module_.form(instruction).opcode != Opcode::Add || operands.size() != 3) return false;
      steps = operands[1].reg == counter.reg && operands[2].kind == OperandKind::Integer;
      if (!steps) return false;
    }
    return steps;
  }

  bool starts_at_constant(const BasicBlock& block, RegisterId reg) const {
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (i >= block.first && i < block.last) continue;
      const Instruction& instruction = function_.instructions[i];
      if (module_.form(instruction).opcode == Opcode::Mov && writes(instruction, reg) &&
          instruction.operands.size() == 2 && instruction.operands[1].kind == OperandKind::Integer)
        return true;
    }
    return false;
  }

  const Module& module_;
  const Function& function_;
  MachineCost costs_;
};

}  // namespace

std::vector<UnrolledLoop> unrolled_loops(const Module& module, const Function& function) {
  if (is_giant(function)) return {};  // each loop is looked for in the whole function
  return Finder(module, function).find();
}

}  // namespace warplens::ptx
