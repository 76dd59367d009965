// What every warp of a launch cost: eight numbers a warp, so that a million of them are a picture. They are
// what the totals are made of: summed over the warps they are the totals of the launch's sites.
//
//   WarpTotalsCounter counter(kernel.sites(), TotalsCounter::Copies::AsExecuted);
//   counter.keep_warps();
//   simt::run(kernel, launch, {}, {&counter});
//   counter.totals().global_load.sectors;
//   counter.warps()->of(block, warp).sectors;
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/analysis/totals.h"
#include "engine/trace/launch.h"

namespace warplens::analysis {

// Each number stops at the largest there is.
struct WarpTotal {
  std::uint32_t executions = 0;                  // accesses and branches
  std::uint32_t lanes = 0;                       // active ones, summed over them
  std::uint32_t sectors = 0, sectors_ideal = 0;  // of global and local memory
  std::uint32_t wavefronts = 0;                  // of shared memory
  std::uint32_t wavefronts_ideal = 0;            // without bank conflicts
  std::uint32_t constants = 0;                   // passes of constant memory
  std::uint32_t constants_ideal = 0;             // one a request
};
struct WarpTotals {
  Dim3 grid, block;
  std::uint32_t warps_per_block = 1;
  std::vector<WarpTotal> all;  // by linear block, then warp

  const WarpTotal& of(std::uint64_t linear_block, std::uint32_t warp) const {
    return all[linear_block * warps_per_block + warp];
  }
};

inline constexpr std::uint64_t kMostWarpTotals = std::uint64_t{1} << 20;

// Counts as a TotalsCounter does. Blocks belong to one worker each, so all forks write into one table without
// a lock.
class WarpTotalsCounter final : public trace::Listener {
 public:
  explicit WarpTotalsCounter(const std::vector<trace::Site>& sites,
                             TotalsCounter::Copies copies = TotalsCounter::Copies::SideBySide);
  // Before a launch; without it only the totals are counted.
  void keep_warps();
  std::unique_ptr<trace::Listener> fork() const override;
  void join(trace::Listener& other) override;
  Wants wants() const override { return counter_->wants(); }
  void on_launch(const trace::Launch& launch, std::span<const std::uint64_t> bases) override;
  void on_access(const trace::Access& access) override;
  void on_branch(const trace::Branch& branch) override;
  void on_barrier(const trace::Barrier& barrier) override { counter_->on_barrier(barrier); }
  const Totals& totals() const { return counter_->totals(); }
  // Null when nobody asked for them, or the launch has more warps than are kept.
  std::shared_ptr<const WarpTotals> warps() const;

 private:
  WarpTotalsCounter(std::unique_ptr<TotalsCounter> counter, const WarpTotalsCounter& of)
      : counter_(std::move(counter)),
        warps_(of.warps_),
        first_(of.first_),
        count_(of.count_),
        warps_per_block_(of.warps_per_block_) {}
  WarpTotal* warp_of(const trace::WarpId& warp) const {
    const std::uint64_t index = warp.block * warps_per_block_ + warp.warp;
    return index < count_ ? first_ + index : nullptr;
  }

  std::unique_ptr<TotalsCounter> counter_;
  std::shared_ptr<WarpTotals> warps_;  // null: not kept
  // The table at hand, for every access.
  WarpTotal* first_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t warps_per_block_ = 1;
};

}  // namespace warplens::analysis
