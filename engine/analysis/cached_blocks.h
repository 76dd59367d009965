// Blocks of an access log while the cache model (caches.h) runs them: where their warps stand, and what they
// wait for. Cycles are the SM's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/caches.h"

namespace warplens::analysis {

// A block while it runs: where each of its warps stands.
struct Resident {
  const AccessLog::Block* block = nullptr;
  ServedBlock* served = nullptr;             // where its answers are wanted
  std::vector<std::uint32_t> at;             // places of its accesses, those of a warp together
  std::vector<std::uint32_t> first;          // by warp: where its own begin in `at`; one more: their end
  std::vector<std::uint64_t> row_of_stores;  // by warp: which of all
  std::vector<double> ready;                 // by warp: from when it makes its next access, in cycles
  std::vector<double> latest;                // by warp: when all of its loads are answered
  std::vector<std::vector<trace::SiteId>> loading;  // by warp: sites of loads that it does not wait for yet
  std::vector<std::uint32_t> next;                  // by warp: where its next one is in `at`
  double due = 0;                                   // when the first of them makes it, or all have ended
  std::uint64_t local_lines = 0;  // from a line of the block's local memory to that of its place on the SM
  std::size_t row = 0;            // of the places of its SM
};

// Local memory belongs to a place on an SM: the next block there has the same. `place` counts them over all
// SMs.
inline Resident begin_block(const AccessLog::Block& block, std::size_t place, double at_cycle) {
  Resident out;
  out.block = &block;
  out.ready.assign(block.warps, at_cycle);
  out.latest.assign(block.warps, at_cycle);
  out.row_of_stores.resize(block.warps);
  out.due = at_cycle;
  out.loading.resize(block.warps);
  out.local_lines = (place - block.block) * AccessLog::kLocalLinesOfBlock;
  const auto each = [&](const auto& use) {
    for (std::size_t at = 0, next = 0; at < block.words.size(); at = next)
      use(AccessLog::read(block, at, next).warp, static_cast<std::uint32_t>(at));
  };
  std::vector<std::uint32_t> counts(block.warps);
  each([&](std::uint32_t warp, std::uint32_t) { ++counts[warp]; });
  out.first.assign(1, 0);
  for (const std::uint32_t count : counts) out.first.push_back(out.first.back() + count);
  out.at.resize(out.first.back());
  out.next.assign(out.first.begin(), out.first.end() - 1);
  std::vector<std::uint32_t> next = out.next;
  each([&](std::uint32_t warp, std::uint32_t at) { out.at[next[warp]++] = at; });
  return out;
}

}  // namespace warplens::analysis
