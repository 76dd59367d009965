#include "visual/warp_totals.h"

#include <bit>
#include <limits>

namespace warplens::visual {
namespace {

void add(std::uint32_t& sum, std::uint32_t value) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  sum = sum > kMost - value ? kMost : sum + value;
}

}  // namespace

WarpTotalsCounter::WarpTotalsCounter() : totals_(std::make_shared<WarpTotals>()) {}

std::unique_ptr<trace::Listener> WarpTotalsCounter::fork() const {
  return std::unique_ptr<trace::Listener>(new WarpTotalsCounter(totals_));
}

trace::Listener::Wants WarpTotalsCounter::wants() const {
  return {.accesses = true, .branches = true};
}

void WarpTotalsCounter::on_launch(const trace::Launch& launch, std::span<const std::uint64_t>) {
  totals_->grid = launch.grid;
  totals_->block = launch.block;
  totals_->warps_per_block = static_cast<std::uint32_t>((launch.block.volume() + kWarpSize - 1) / kWarpSize);
  const std::uint64_t blocks = launch.grid.volume();
  totals_->all.clear();
  if (blocks <= kMostWarpTotals / totals_->warps_per_block)
    totals_->all.resize(blocks * totals_->warps_per_block);
}

void WarpTotalsCounter::count(const trace::WarpId& warp, LaneMask active) {
  const std::uint64_t index = warp.block * totals_->warps_per_block + warp.warp;
  if (active == 0 || index >= totals_->all.size()) return;
  WarpTotal& total = totals_->all[index];
  add(total.executions, 1);
  add(total.lanes, static_cast<std::uint32_t>(std::popcount(active)));
}

std::shared_ptr<const WarpTotals> WarpTotalsCounter::totals() const {
  return totals_->all.empty() ? nullptr : totals_;
}

}  // namespace warplens::visual
