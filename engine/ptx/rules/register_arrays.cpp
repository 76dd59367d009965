#include "engine/ptx/rules/register_arrays.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/ptx/facts/address_form.h"
#include "engine/ptx/facts/liveness.h"

namespace warplens::ptx {
namespace {

// In units of one choice between two elements.
constexpr std::int64_t kConstantAccess = 4;  // saved by an access whose place is known
constexpr std::int64_t kDynamicLoad = 7;
constexpr std::int64_t kDynamicStore = 5;
constexpr std::int64_t kAnyConstantLoad = 5;
constexpr std::int64_t kSlack = 1;
constexpr std::int64_t kLoopWeight = 64;  // a loop level
constexpr std::uint64_t kMostElements = 95;

// The only variable in local memory; nothing when there are none or several.
const Variable* only_local(const Function& function) {
  const Variable* found = nullptr;
  for (const Variable& variable : function.locals) {
    if (variable.space != StateSpace::Local) continue;
    if (found != nullptr) return nullptr;
    found = &variable;
  }
  return found;
}

bool touches_local(const Form& form) {
  return form.space == StateSpace::Local && (form.opcode == Opcode::Ld || form.opcode == Opcode::St);
}

bool calls(const Module& module, const Function& function) {
  return std::any_of(
      function.instructions.begin(), function.instructions.end(),
      [&](const Instruction& instruction) { return module.form(instruction).opcode == Opcode::Call; });
}

// Whether a generic address of the array gets out: into an access or any stored value.
class Escape {
 public:
  Escape(const Module& module, const Function& function)
      : module_(module), function_(function), generic_(function.registers.size(), false) {}

  bool found() {
    for (bool grown = true; grown;) {
      grown = false;
      for (const Instruction& instruction : function_.instructions) {
        const Uses uses = uses_of(module_, function_, instruction);
        const bool makes = is_made_generic(module_.form(instruction));
        const bool reads =
            std::any_of(uses.reads.begin(), uses.reads.end(), [&](RegisterId r) { return generic_[r]; });
        if (!makes && !reads) continue;
        if (!makes && gets_out(module_.form(instruction))) return true;
        for (const RegisterId reg : uses.writes) {
          grown = grown || !generic_[reg];
          generic_[reg] = true;
        }
      }
    }
    return false;
  }

 private:
  static bool is_made_generic(const Form& form) {
    return form.opcode == Opcode::Cvta && form.space == StateSpace::Local && !form.has(Modifier::To);
  }
  static bool gets_out(const Form& form) {
    return form.space != StateSpace::None || form.opcode == Opcode::Shfl;
  }

  const Module& module_;
  const Function& function_;
  std::vector<bool> generic_;
};

struct Tally {
  std::int64_t score = kSlack;
  bool constant_store = false, constant_load = false;
};

std::optional<std::uint32_t> outermost_depth(const Module& module, const Function& function, int& element) {
  std::optional<std::uint32_t> depth;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Form& form = module.form(function.instructions[i]);
    if (!touches_local(form)) continue;
    const int size = size_of(form.type());
    if ((size != 2 && size != 4) || (element != 0 && element != size) || form.has(Modifier::Volatile))
      return std::nullopt;
    element = size;
    const std::uint32_t here = function.blocks[function.block_of[i]].loop_depth;
    depth = std::min(depth.value_or(here), here);
  }
  return depth;
}

std::int64_t weight_of(std::uint32_t levels) {
  std::int64_t weight = 1;
  for (std::uint32_t i = 0; i < std::min(levels, 3u); ++i) weight *= kLoopWeight;
  return weight;
}

void count(const Form& form, bool constant, std::int64_t weight, std::int64_t elements, Tally& tally) {
  const bool load = form.opcode == Opcode::Ld;
  if (constant) {
    tally.score += weight * kConstantAccess;
    (load ? tally.constant_load : tally.constant_store) = true;
  } else {
    // In a loop a load is worth no more than a store.
    const std::int64_t saved = load && weight == 1 ? kDynamicLoad : kDynamicStore;
    tally.score += weight * (saved - elements);
  }
}

}  // namespace

bool local_arrays_in_registers(const Module& module, const Function& function) {
  const Variable* const depot = only_local(function);
  int element = 0;
  if (depot == nullptr) return false;
  const auto depth = outermost_depth(module, function, element);
  if (!depth || element == 0) return false;
  const std::uint64_t elements =
      (depot->bytes() + static_cast<unsigned>(element) - 1) / static_cast<unsigned>(element);
  if (elements > kMostElements || calls(module, function)) return false;
  if (Escape(module, function).found()) return false;

  AddressForms forms(module, function);
  const std::uint32_t base = forms.base_of_symbol(depot->name);
  Tally tally;
  for (const BasicBlock& block : function.blocks) {
    forms.enter_block();
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Instruction& instruction = function.instructions[i];
      const Form& form = module.form(instruction);
      if (touches_local(form) && !instruction.operands.empty()) {
        const Operand& place =
            instruction.operands[form.opcode == Opcode::St ? 0 : instruction.operands.size() - 1];
        const LinearForm address = forms.address(place);
        if (!forms.hangs_on_symbol(address.base)) return false;  // a pointer that ptxas cannot see through
        const bool constant = address.base == base;
        count(form, constant, weight_of(block.loop_depth - *depth), static_cast<std::int64_t>(elements),
              tally);
      }
      forms.execute(instruction);
    }
  }
  if (tally.constant_load) tally.score += kAnyConstantLoad;
  return tally.constant_store && tally.score >= 0;
}

}  // namespace warplens::ptx
