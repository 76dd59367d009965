// How many blocks fit on an SM, and what stops the next one. The algorithm of the vendor's occupancy
// calculator; equal to it on all rows of the vectors in tests/analysis/data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/base/evidence.h"

namespace warplens::analysis {

struct KernelResources {
  int threads_per_block = 256;
  int registers_per_thread = 32;
  std::int64_t static_shared = 0, dynamic_shared = 0;
  std::int64_t dynamic_shared_max = -1;  // opt-in attribute; -1: as much as the launch asks for
  int carveout_percent = -1;             // -1: the driver's default
  int barriers = 1;
};

// What of an SM blocks and warps take.
enum class SmResource : std::uint8_t { Warps, Registers, Shared, Blocks, Barriers };
std::string_view name(SmResource resource);  // "registers": in reports, and where keys of messages end

struct Occupancy {
  int blocks_per_sm = 0, warps_per_sm = 0, warps_per_block = 0;
  double theoretical = 0;  // 0 to 1
  // Blocks that each resource alone would allow; kNoLimit where it never limits.
  static constexpr int kNoLimit = 2147483647;
  int limit_registers = 0, limit_shared = 0, limit_warps = 0, limit_blocks = 0, limit_barriers = kNoLimit;
  std::vector<SmResource> limiters;  // those of which nothing is left for another block
  bool is_limited_by(SmResource resource) const {
    return std::ranges::find(limiters, resource) != limiters.end();
  }
  int allocated_registers_per_block = 0;
  std::int64_t allocated_shared_per_block = 0;
};

Occupancy occupancy(const ComputeCapability& capability, const KernelResources& kernel);

// The block size that cudaOccupancyMaxPotentialBlockSize answers: of those that leave no more threads out,
// the largest. `most`: of __launch_bounds__; 0: what the device allows. 0 where no block fits.
int suggested_block(const ComputeCapability& capability, KernelResources kernel, int most = 0);

}  // namespace warplens::analysis
