#include "engine/ptx/unrolled_loops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "engine/ptx/liveness.h"
#include "engine/ptx/machine_cost.h"
#include "engine/ptx/uniformity.h"

namespace warplens::ptx {
namespace {

constexpr std::size_t kMostBlocks = 4096, kMostInstructions = 20000;
constexpr int kLargestBody = 44;  // machine instructions, as MachineCost counts them
constexpr int kLargestBodyWithChoices = 28;

bool is_costly(const Form& form) {
  constexpr std::string_view kCostly[] = {"ex2",  "lg2", "sin", "cos",  "tanh", "rcp",   "rsqrt",
                                          "sqrt", "div", "rem", "slct", "brx",  "bfind", "prmt"};
  return std::ranges::find(kCostly, form.opcode) != std::end(kCostly) || form.space == StateSpace::Local;
}

class Finder {
 public:
  Finder(const Module& module, const Function& function)
      : module_(module), function_(function), costs_(module, function) {}

  std::vector<UnrolledLoop> find() {
    std::vector<UnrolledLoop> found;
    for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
      const std::vector<std::uint32_t>& successors = function_.blocks[b].successors;
      if (std::ranges::find(successors, b) == successors.end()) continue;
      if (auto loop = examine(b)) found.push_back(*loop);
    }
    if (found.empty()) return found;
    const Uniformity uniformity = Uniformity::compute(module_, function_);
    for (UnrolledLoop& loop : found)
      loop.uniform = uniformity.uniform(function_.instructions[loop.branch].guard.predicate);
    return found;
  }

 private:
  std::optional<UnrolledLoop> examine(std::uint32_t index) const {
    const BasicBlock& block = function_.blocks[index];
    const std::uint32_t branch = block.last - 1;
    const Instruction& jump = function_.instructions[branch];
    if (module_.form(jump).opcode != "bra" || jump.guard.predicate == kNone || jump.guard.negated)
      return std::nullopt;
    if (marked(block)) return std::nullopt;
    const Cost cost = costs_.block(index);
    if (cost.unfit || cost.instructions > kLargestBody) return std::nullopt;
    if (copies_in_global_memory(block)) return std::nullopt;
    const Instruction* test = nullptr;
    bool chooses = false;
    for (std::uint32_t i = block.first; i < branch; ++i) {
      const Instruction& instruction = function_.instructions[i];
      const Form& form = module_.form(instruction);
      if (is_costly(form) || instruction.guard.predicate != kNone) return std::nullopt;
      chooses = chooses || form.opcode == "selp";
      if (form.opcode != "setp") continue;
      const bool asks = !instruction.operands.empty() && instruction.operands[0].reg == jump.guard.predicate;
      if (asks && test != nullptr) return std::nullopt;
      if (asks) test = &instruction;
      chooses = chooses || !asks;
    }
    if (chooses && cost.instructions > kLargestBodyWithChoices) return std::nullopt;
    if (test == nullptr || test->operands.size() != 3 || test->operands[0].reg != jump.guard.predicate)
      return std::nullopt;
    UnrolledLoop loop{block.first, branch, false, false};
    const Form& form = module_.form(*test);
    loop.ends_by_equality = form.has("ne");
    const Operand& bound = test->operands[2];
    const bool ordered = form.has("lt") || form.has("le") || form.has("gt") || form.has("ge");
    if (!loop.ends_by_equality && !ordered) return std::nullopt;
    // Counting up to a constant: such loops are unrolled wholly or, from a bounded start, not at all.
    const bool counts_up = form.has("lt") || form.has("le");
    if (bound.kind == OperandKind::Integer ? counts_up : written_inside(block, bound.reg))
      return std::nullopt;
    if (!counts(block, test->operands[1]) || starts_at_constant(block, test->operands[1].reg))
      return std::nullopt;
    return loop;
  }

  // A copy: at least as many stores to global memory as loads from it, and nothing that one turn hands to the
  // next but addresses and counters. Of 51 small loops ptxas 13.0 leaves all six such alone, and four others.
  bool copies_in_global_memory(const BasicBlock& block) const {
    int loads = 0, stores = 0;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Form& form = module_.form(function_.instructions[i]);
      if (form.space != StateSpace::Global && form.space != StateSpace::Generic) continue;
      loads += form.opcode == "ld";
      stores += form.opcode == "st";
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
      if (steps || module_.form(instruction).opcode != "add" || operands.size() != 3) return false;
      steps = operands[1].reg == counter.reg && operands[2].kind == OperandKind::Integer;
      if (!steps) return false;
    }
    return steps;
  }

  bool starts_at_constant(const BasicBlock& block, RegisterId reg) const {
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (i >= block.first && i < block.last) continue;
      const Instruction& instruction = function_.instructions[i];
      if (module_.form(instruction).opcode == "mov" && writes(instruction, reg) &&
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
  // Each loop is looked for in the whole function: giant generated code stays as written.
  if (function.blocks.size() > kMostBlocks || function.instructions.size() > kMostInstructions) return {};
  return Finder(module, function).find();
}

}  // namespace warplens::ptx
