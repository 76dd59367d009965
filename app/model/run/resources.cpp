#include "app/model/run/resources.h"

#include <algorithm>

#include "engine/ptx/facts/function_facts.h"

namespace warplens::model {
// A launch gives each thread at least this many, whatever ptxas says it needs (what Nsight Compute reports as
// launch__registers_per_thread on compute capability 9.0).
constexpr int kLeastRegisters = 16;
// The same for a kernel that may run the driver's routines (4 kernels that ptxas gives 24).
constexpr int kLeastForSystemCode = 32;

int least_registers(const ptx::Module& module, const ptx::Function& entry) {
  return ptx::runs_system_code(module, ptx::facts_of(module, entry)->reached()) ? kLeastForSystemCode
                                                                                : kLeastRegisters;
}

int given_registers(const ptx::Module& module, const ptx::Function& entry, int by_ptxas) {
  return std::max(by_ptxas, least_registers(module, entry));
}

Figure<int> registers_of(const Program& program, const ptx::Function& entry) {
  const int least = least_registers(*program.module, entry);
  for (const source::PtxasInfo& info : program.ptxas)
    if (info.kernel == entry.name && info.registers > 0)
      return {std::max(info.registers, least), Evidence::Counted};
  const std::uint32_t pressure = ptx::facts_of(*program.module, entry)->liveness().pressure();
  // Addresses and the machine's own few registers come on top; never below what any launch gives.
  return {static_cast<int>(std::clamp<std::uint32_t>(pressure + 4, static_cast<std::uint32_t>(least), 255)),
          Evidence::Modelled};
}

std::uint64_t static_shared_bytes(const ptx::Module& module, const ptx::Function& entry) {
  return ptx::facts_of(module, entry)->shared().static_bytes;
}

}  // namespace warplens::model
