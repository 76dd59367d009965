// How large the caches of a device are for a launch, and what its SMs and slices take.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/analysis/caches.h"

namespace warplens::analysis {

std::uint32_t CacheSizes::group_of(std::size_t sm, std::size_t active) const {
  const auto first = static_cast<std::size_t>(std::max(0, first_sms));
  const auto groups = static_cast<std::size_t>(std::max(1, sm_groups));
  if (sm < first || active <= first) return 0;
  return static_cast<std::uint32_t>(1 + (sm - first) * groups / (active - first));
}

CacheSizes cache_sizes(const Device& device, const ComputeCapability& capability, const Occupancy& occupancy,
                       const ModelConstants& constants) {
  CacheSizes out;
  out.sms = std::max(1, device.sms);
  out.blocks_per_sm = std::max(1, occupancy.blocks_per_sm);
  out.l2_bytes = static_cast<std::int64_t>(device.l2_mb * 1048576.0 * constants.l2_usable);
  out.part_lines =
      static_cast<std::int64_t>(device.l2_mb * 1048576.0 * constants.l2_part_share / CacheSizes::kLine);
  out.dram_row_bytes = constants.dram_row_bytes;
  out.sms_a_group = static_cast<int>(constants.sms_a_group);
  out.sm_groups = static_cast<int>(constants.sm_groups);
  out.first_sms = static_cast<int>(constants.first_sms);
  out.combined_lines = static_cast<int>(constants.combined_lines);
  out.fill_cycles = constants.fill_cycles;
  out.l2_cycles = 32 / std::max(1.0, constants.l2_bytes_a_clock * constants.l2_share);
  out.dram_cycles =
      32 * device.boost_mhz * 1e6 * device.sms / std::max(1.0, device.dram_gbps * 1e9 * constants.dram_share);
  out.slices = {static_cast<int>(constants.l2_slices),
                static_cast<int>(constants.slice_lines),
                constants.atomic_cycles,
                constants.address_cycles,
                constants.float_cycles,
                constants.address_cycles,
                constants.store_cycles,
                constants.stored_line,
                constants.stored_sector,
                constants.stored_part};
  // The driver reserves the smallest share that holds all blocks of an SM.
  const std::int64_t needed = occupancy.allocated_shared_per_block * occupancy.blocks_per_sm;
  std::int64_t carveout = capability.shared_per_sm;
  for (auto c = capability.carveouts.rbegin(); c != capability.carveouts.rend(); ++c)
    if (*c >= needed) carveout = *c;
  out.l1_bytes = static_cast<std::int64_t>(device.unified_l1_kb * 1024.0) - carveout;
  return out;
}

}  // namespace warplens::analysis
