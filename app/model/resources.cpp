#include "app/model/resources.h"

#include <algorithm>

#include "engine/ptx/liveness.h"
#include "engine/ptx/shared_layout.h"

namespace warplens::model {
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
  return ptx::shared_layout(module, entry).static_bytes;
}

}  // namespace warplens::model
