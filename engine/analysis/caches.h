// What the caches of a named GPU would do with the stored accesses: a model, and badged as one.
//
//   CacheReport r = model_caches(trace, cache_sizes(device, capability, occupancy));
//   r.l1.hit_rate();            // share of the sectors that loads found in L1
//   r.dram_read_sectors * 32;   // bytes that had to come from DRAM
//
// The model: both levels have lines of 128 bytes with four sectors each that are filled one by one, and throw
// out the least recently used line of a set. L1 belongs to an SM, holds loads, passes stores and atomics on
// to L2. L2 holds everything, and writes changed sectors back when their line leaves. Blocks go to SMs in
// turn and run there one after another, which is kinder to L1 than a real SM that interleaves them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/analysis/device.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/evidence.h"
#include "engine/base/progress.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

struct CacheSizes {
  std::int64_t l1_bytes = 0;  // of one SM, what shared memory leaves of the unified array
  std::int64_t l2_bytes = 0;
  int sms = 1;
  int l1_sets = 4, l2_ways = 16;  // as simulators that were fitted to hardware have them
};
CacheSizes cache_sizes(const Device& device, const ComputeCapability& capability, const Occupancy& occupancy);

struct CacheLevel {  // all in sectors of 32 bytes
  std::uint64_t reads = 0, read_hits = 0, writes = 0;
  double hit_rate() const {  // of the reads; 0 without any
    return reads == 0 ? 0.0 : static_cast<double>(read_hits) / static_cast<double>(reads);
  }
  bool operator==(const CacheLevel&) const = default;
};

struct CacheReport {
  static constexpr Evidence evidence = Evidence::Modelled;
  CacheSizes sizes;
  CacheLevel l1, l2;
  std::uint64_t dram_read_sectors = 0;
  std::uint64_t dram_write_sectors = 0;  // includes what is still changed in L2 at the end
  struct Site {
    CacheLevel l1, l2;
    std::uint64_t dram_read_sectors = 0;
  };
  std::vector<Site> sites;         // index = site
  std::vector<CacheLevel> blocks;  // L1 of each stored block, in the order of Trace::blocks()
};

// Walks all global and local accesses of the trace. Stops early, with what was counted so far, on a cancel.
CacheReport model_caches(const trace::Trace& trace, const CacheSizes& sizes, Progress* progress = nullptr);

}  // namespace warplens::analysis
