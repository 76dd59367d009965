// What an instrumented run counts on the GPU itself: eight counters a slot, kept in as many copies as it
// takes to keep the SMs out of each other's way, and summed here. The rules are those of engine/analysis; the
// code that applies them is kernels/recorder/recorder.cu.
//
//   TotalsLayout layout = instrument(module, "copy", {.totals = true})->layout;
//   ... the run fills layout.bytes() of zeroed device memory ...
//   CountedTotals totals = read_totals(layout, counters);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace/site.h"

namespace warplens::gpu {

// Copies of the counters: an SM adds to the copy of its number modulo this.
inline constexpr std::uint32_t kCounterCopies = 64;
inline constexpr std::size_t kCountersOfSlot = 8;

// What the counters of a slot mean, after [0] executions and [1] active lanes over all executions:
enum class CounterFamily : std::uint8_t {
  Global,       // [2] requests, sectors, ideal sectors, lines, distinct bytes, bytes of all lanes
  Local,        // the same
  Shared,       // [2] requests, wavefronts, ideal wavefronts, conflicts
  SharedLoads,  // the same, of the loads in a shared atomic that runs as a loop (A4)
  SharedAsync,  // the same, of where an asynchronous copy writes
  Constant,     // [2] requests, distinct addresses
  Branch,       // [2] divergent executions
  Lanes,        // nothing more
};

struct CounterSlot {
  trace::SiteId site = trace::kNoSite;  // kNoSite: a basic block without a site that tells its executions
  CounterFamily family = CounterFamily::Lanes;
};

struct TotalsLayout {
  std::vector<CounterSlot> slots;
  struct Block {
    std::uint32_t slot = 0;          // whose executions are the block's
    std::uint64_t instructions = 0;  // of the block
  };
  std::vector<Block> blocks;
  struct Same {
    trace::SiteId site = 0;
    std::uint32_t slot = 0;
    CounterFamily family = CounterFamily::Lanes;
  };
  // Sites that execute exactly when the slot's does; Lanes: and count no more; Branch: and never divide a
  // warp; else: and count just the same.
  std::vector<Same> same;
  std::vector<trace::SiteId> uncounted;  // textures, bulk copies: addresses that no lane holds
  std::size_t bytes() const { return slots.size() * kCountersOfSlot * 8 * kCounterCopies; }
};

struct SlotTotals {
  CounterSlot slot;
  std::array<std::uint64_t, kCountersOfSlot> counts{};
};

struct CountedTotals {
  std::vector<SlotTotals> slots;  // of sites only
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::vector<trace::SiteId> uncounted;
};

// `counters` holds layout.bytes() as the GPU left them; shorter ones count as zero.
CountedTotals read_totals(const TotalsLayout& layout, std::span<const std::uint8_t> counters);

}  // namespace warplens::gpu
