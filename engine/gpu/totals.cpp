#include "engine/gpu/totals.h"

#include <algorithm>
#include <cstring>

namespace warplens::gpu {

CountedTotals read_totals(const TotalsLayout& layout, std::span<const std::uint8_t> counters) {
  std::vector<SlotTotals> sums(layout.slots.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].slot = layout.slots[i];
  for (std::size_t copy = 0; copy < kCounterCopies; ++copy)
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t k = 0; k < kCountersOfSlot; ++k) {
        const std::size_t at = ((copy * sums.size() + i) * kCountersOfSlot + k) * 8;
        if (at + 8 > counters.size()) continue;
        std::uint64_t value = 0;
        std::memcpy(&value, counters.data() + at, 8);
        sums[i].counts[k] += value;
      }
  CountedTotals out;
  out.uncounted = layout.uncounted;
  for (const TotalsLayout::Block& block : layout.blocks) {
    const SlotTotals& witness = sums.at(block.slot);
    out.warp_instructions += block.instructions * witness.counts[0];
    out.thread_instructions += block.instructions * witness.counts[1];
  }
  for (const SlotTotals& sum : sums)
    if (sum.slot.site != trace::kNoSite) out.slots.push_back(sum);
  for (const TotalsLayout::Same& same : layout.same) {
    SlotTotals copy;
    copy.slot = {same.site, same.family};
    copy.counts = sums.at(same.slot).counts;
    if (same.family == CounterFamily::Lanes || same.family == CounterFamily::Branch)
      std::fill(copy.counts.begin() + 2, copy.counts.end(), 0);
    out.slots.push_back(copy);
  }
  return out;
}

}  // namespace warplens::gpu
