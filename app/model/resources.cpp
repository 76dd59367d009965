#include "app/model/resources.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/ptx/liveness.h"

namespace warplens::model {
namespace {

// The entry and every function that its direct calls lead to.
std::vector<const ptx::Function*> reachable(const ptx::Module& module, const ptx::Function& entry) {
  std::vector<const ptx::Function*> out{&entry};
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const ptx::Instruction& instruction : out[i]->instructions) {
      if (module.form(instruction).opcode != "call") continue;
      for (const ptx::Operand& operand : instruction.operands) {
        const ptx::Function* callee = module.find_function(operand.symbol);
        if (callee != nullptr && std::find(out.begin(), out.end(), callee) == out.end())
          out.push_back(callee);
      }
    }
  }
  return out;
}

void collect_symbols(const std::vector<ptx::Operand>& operands, std::set<std::string>& out) {
  for (const ptx::Operand& operand : operands)
    if (!operand.symbol.empty()) out.insert(operand.symbol);
}

}  // namespace

// A launch gives each thread at least this many, whatever ptxas says it needs (what Nsight Compute reports as
// launch__registers_per_thread on compute capability 9.0).
constexpr int kLeastRegisters = 16;

Figure<int> registers_of(const Program& program, const ptx::Function& entry) {
  for (const source::PtxasInfo& info : program.ptxas)
    if (info.kernel == entry.name && info.registers > 0)
      return {std::max(info.registers, kLeastRegisters), Evidence::Counted};
  const std::uint32_t pressure = ptx::Liveness::compute(*program.module, entry).pressure();
  // Addresses and the machine's own few registers come on top; never below what any launch gives.
  return {static_cast<int>(std::clamp<std::uint32_t>(pressure + 4, kLeastRegisters, 255)),
          Evidence::Modelled};
}

std::uint64_t static_shared_bytes(const ptx::Module& module, const ptx::Function& entry) {
  std::uint64_t bytes = 0;
  const auto add = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::StateSpace::Shared || variable.is_extern) return;
    const std::uint64_t alignment = std::max<std::uint64_t>(variable.alignment, 1);
    bytes = (bytes + alignment - 1) / alignment * alignment + variable.bytes();
  };
  std::set<std::string> named;
  for (const ptx::Function* function : reachable(module, entry)) {
    for (const ptx::Variable& variable : function->locals) add(variable);
    for (const ptx::Instruction& instruction : function->instructions)
      collect_symbols(instruction.operands, named);
  }
  // Arrays of the module belong to the kernels that name them.
  for (const ptx::Variable& variable : module.variables)
    if (named.contains(variable.name)) add(variable);
  return bytes;
}

}  // namespace warplens::model
