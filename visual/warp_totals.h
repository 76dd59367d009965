// What every warp of a launch executed: two numbers a warp, so that a million of them are a picture.
//
//   WarpTotalsCounter counter;
//   simt::run(kernel, launch, {}, {&counter});
//   counter.totals()->of(block, warp).executions;
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/launch.h"

namespace warplens::visual {

struct WarpTotal {
  std::uint32_t executions = 0;  // accesses and branches; stops at the largest number there is
  std::uint32_t lanes = 0;       // active ones, summed over them
};
struct WarpTotals {
  Dim3 grid, block;
  std::uint32_t warps_per_block = 1;
  std::vector<WarpTotal> all;  // by linear block, then warp; empty: too many

  const WarpTotal& of(std::uint64_t linear_block, std::uint32_t warp) const {
    return all[linear_block * warps_per_block + warp];
  }
};

inline constexpr std::uint64_t kMostWarpTotals = std::uint64_t{1} << 20;

// Blocks belong to one worker each, so all forks write into one table without a lock.
class WarpTotalsCounter : public trace::Listener {
 public:
  WarpTotalsCounter();
  std::unique_ptr<trace::Listener> fork() const override;
  void join(trace::Listener&) override {}
  Wants wants() const override;
  void on_launch(const trace::Launch& launch, std::span<const std::uint64_t> bases) override;
  void on_access(const trace::Access& access) override { count(access.warp, access.active); }
  void on_branch(const trace::Branch& branch) override { count(branch.warp, branch.active); }
  // Null when the launch has more warps than are kept.
  std::shared_ptr<const WarpTotals> totals() const;

 private:
  explicit WarpTotalsCounter(std::shared_ptr<WarpTotals> totals) : totals_(std::move(totals)) {}
  void count(const trace::WarpId& warp, LaneMask active);
  std::shared_ptr<WarpTotals> totals_;
};

}  // namespace warplens::visual
