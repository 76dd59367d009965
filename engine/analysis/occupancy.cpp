#include "engine/analysis/occupancy.h"

#include <algorithm>
#include <utility>

namespace warplens::analysis {
namespace {

constexpr std::int64_t kDefaultSharedPerBlock = 48 * 1024;  // beyond it a kernel must opt in

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return unit <= 0 ? value : (value + unit - 1) / unit * unit;
}

int clamp_to_int(std::int64_t value) {
  return static_cast<int>(std::clamp<std::int64_t>(value, 0, Occupancy::kNoLimit));
}

int register_limit(const ComputeCapability& cc, const KernelResources& kernel, int warps,
                   std::int64_t registers_of_warp) {
  const std::int64_t rounded_warps = round_up(warps, cc.subpartitions);
  // The calculator's own cap is 256 although a thread has 255 at most.
  if (kernel.registers_per_thread > 256 || registers_of_warp * rounded_warps > cc.registers_per_sm ||
      registers_of_warp * warps > cc.registers_per_block)
    return 0;
  if (registers_of_warp == 0) return Occupancy::kNoLimit;
  // Registers belong to a sub-partition: the warps of each are rounded down before they are added up.
  const std::int64_t in_subpartition = cc.registers_per_sm / cc.subpartitions / registers_of_warp;
  return clamp_to_int(in_subpartition * cc.subpartitions / warps);
}

int shared_limit(const ComputeCapability& cc, const KernelResources& kernel, std::int64_t allocated) {
  const std::int64_t most_dynamic =
      kernel.dynamic_shared_max < 0 ? kernel.dynamic_shared : kernel.dynamic_shared_max;
  const bool opts_in = kernel.static_shared + cc.shared_reserved + most_dynamic > kDefaultSharedPerBlock;
  const std::int64_t per_block =
      (opts_in ? cc.shared_per_block_optin : kDefaultSharedPerBlock) + cc.shared_reserved;
  if (kernel.dynamic_shared > most_dynamic || allocated > per_block) return 0;
  if (allocated == 0) return Occupancy::kNoLimit;
  const auto smallest_holding = [&](std::int64_t bytes) {
    for (const int carveout : cc.carveouts)
      if (carveout >= bytes) return static_cast<std::int64_t>(carveout);
    return static_cast<std::int64_t>(cc.shared_per_sm);
  };
  std::int64_t capacity = cc.shared_per_sm;
  if (kernel.carveout_percent >= 0)
    capacity = smallest_holding(std::int64_t{kernel.carveout_percent} * cc.shared_per_sm / 100);
  // A preference too small is raised just enough for one block.
  if (capacity < allocated) capacity = smallest_holding(allocated);
  return clamp_to_int(capacity / allocated);
}

}  // namespace

std::string_view name(SmResource resource) {
  constexpr std::string_view kNames[] = {"warps", "registers", "shared", "blocks", "barriers"};
  return kNames[static_cast<std::size_t>(resource)];
}

Occupancy occupancy(const ComputeCapability& cc, const KernelResources& kernel) {
  Occupancy out;
  if (kernel.threads_per_block <= 0 || kernel.registers_per_thread < 0 || kernel.static_shared < 0 ||
      kernel.dynamic_shared < 0)
    return out;
  const int warps = (kernel.threads_per_block + 31) / 32;
  const std::int64_t registers_of_warp =
      round_up(std::int64_t{kernel.registers_per_thread} * 32, cc.register_unit_per_warp);
  const std::int64_t allocated =
      round_up(kernel.static_shared + kernel.dynamic_shared + cc.shared_reserved, cc.shared_unit);
  out.warps_per_block = warps;
  out.allocated_registers_per_block = clamp_to_int(registers_of_warp * warps);
  out.allocated_shared_per_block = allocated;
  out.limit_warps = kernel.threads_per_block > cc.threads_per_block ? 0 : cc.warps_per_sm / warps;
  out.limit_blocks = cc.blocks_per_sm;
  out.limit_registers = register_limit(cc, kernel, warps, registers_of_warp);
  out.limit_shared = shared_limit(cc, kernel, allocated);
  if (cc.barrier_factor > 0 && kernel.barriers > 0)
    out.limit_barriers = cc.barrier_factor * cc.blocks_per_sm / kernel.barriers;
  const std::pair<SmResource, int> limits[] = {{SmResource::Warps, out.limit_warps},
                                               {SmResource::Registers, out.limit_registers},
                                               {SmResource::Shared, out.limit_shared},
                                               {SmResource::Blocks, out.limit_blocks},
                                               {SmResource::Barriers, out.limit_barriers}};
  out.blocks_per_sm = Occupancy::kNoLimit;
  for (const auto& [resource, limit] : limits) out.blocks_per_sm = std::min(out.blocks_per_sm, limit);
  for (const auto& [resource, limit] : limits)
    if (limit == out.blocks_per_sm) out.limiters.push_back(resource);
  out.warps_per_sm = out.blocks_per_sm * warps;
  out.theoretical = static_cast<double>(out.warps_per_sm) / cc.warps_per_sm;
  return out;
}

// As cuda_runtime.h has it: from the largest down, in whole warps, and the first of the best stays.
int suggested_block(const ComputeCapability& cc, KernelResources kernel, int most) {
  const int limit = most > 0 ? std::min(most, cc.threads_per_block) : cc.threads_per_block;
  int best = 0, best_threads = 0;
  for (int aligned = (limit + 31) / 32 * 32; aligned > 0; aligned -= 32) {
    kernel.threads_per_block = std::min(limit, aligned);
    const int threads = kernel.threads_per_block * occupancy(cc, kernel).blocks_per_sm;
    if (threads > best_threads) {
      best_threads = threads;
      best = kernel.threads_per_block;
    }
    if (best_threads == cc.warps_per_sm * 32) break;
  }
  return best;
}

}  // namespace warplens::analysis
