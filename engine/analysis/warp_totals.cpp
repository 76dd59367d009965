#include "engine/analysis/warp_totals.h"

#include <bit>
#include <limits>

namespace warplens::analysis {
namespace {

void add(std::uint32_t& sum, std::uint64_t value) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  sum = value > kMost - sum ? kMost : sum + static_cast<std::uint32_t>(value);
}

void add_lanes(WarpTotal& warp, LaneMask active) {
  add(warp.executions, 1);
  add(warp.lanes, static_cast<std::uint64_t>(std::popcount(active)));
}

}  // namespace

WarpTotalsCounter::WarpTotalsCounter(const std::vector<trace::Site>& sites, TotalsCounter::Copies copies)
    : counter_(std::make_unique<TotalsCounter>(sites, copies)) {}

void WarpTotalsCounter::keep_warps() {
  warps_ = std::make_shared<WarpTotals>();
}

std::unique_ptr<trace::Listener> WarpTotalsCounter::fork() const {
  auto inner = counter_->fork();
  std::unique_ptr<TotalsCounter> counter(static_cast<TotalsCounter*>(inner.release()));
  return std::unique_ptr<trace::Listener>(new WarpTotalsCounter(std::move(counter), *this));
}

void WarpTotalsCounter::join(trace::Listener& other) {
  counter_->join(*static_cast<WarpTotalsCounter&>(other).counter_);
}

void WarpTotalsCounter::on_launch(const trace::Launch& launch, std::span<const std::uint64_t>) {
  if (!warps_) return;
  warps_->grid = launch.grid;
  warps_->block = launch.block;
  warps_->warps_per_block = static_cast<std::uint32_t>((launch.block.volume() + kWarpSize - 1) / kWarpSize);
  warps_->all.clear();
  const std::uint64_t blocks = launch.grid.volume();
  if (blocks <= kMostWarpTotals / warps_->warps_per_block)
    warps_->all.resize(blocks * warps_->warps_per_block);
  first_ = warps_->all.data();
  count_ = warps_->all.size();
  warps_per_block_ = warps_->warps_per_block;
}

void WarpTotalsCounter::on_access(const trace::Access& access) {
  WarpTotal* const warp = warp_of(access.warp);
  const std::vector<SiteTotals>& sites = counter_->totals().sites;
  if (!warp || access.active == 0 || access.site >= sites.size())
    return counter_->TotalsCounter::on_access(access);
  // What the access adds to its site is the warp's.
  const SiteTotals& site = sites[access.site];
  const std::uint64_t sectors = site.global.sectors, sectors_ideal = site.global.sectors_ideal,
                      wavefronts = site.shared.wavefronts, conflicts = site.shared.bank_conflicts,
                      constants = site.constant.addresses, constant_requests = site.constant.requests;
  counter_->TotalsCounter::on_access(access);  // not virtual: this is the hot path
  add_lanes(*warp, access.active);
  if (site.global.sectors != sectors) {
    add(warp->sectors, site.global.sectors - sectors);
    add(warp->sectors_ideal, site.global.sectors_ideal - sectors_ideal);
  }
  if (const std::uint64_t passes = site.shared.wavefronts - wavefronts; passes != 0) {
    add(warp->wavefronts, passes);
    add(warp->wavefronts_ideal, passes - (site.shared.bank_conflicts - conflicts));
  }
  if (site.constant.addresses != constants) {
    add(warp->constants, site.constant.addresses - constants);
    add(warp->constants_ideal, site.constant.requests - constant_requests);
  }
}

void WarpTotalsCounter::on_branch(const trace::Branch& branch) {
  counter_->on_branch(branch);
  if (branch.active == 0) return;
  if (WarpTotal* const warp = warp_of(branch.warp)) add_lanes(*warp, branch.active);
}

std::shared_ptr<const WarpTotals> WarpTotalsCounter::warps() const {
  return warps_ && !warps_->all.empty() ? warps_ : nullptr;
}

}  // namespace warplens::analysis
