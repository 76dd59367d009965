#include "engine/analysis/totals.h"

#include <algorithm>
#include <array>
#include <bit>

#include "engine/analysis/async_copies.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/patterns.h"
#include "engine/trace/executed_as.h"
#include "engine/trace/matrix_rows.h"

namespace warplens::analysis {

using trace::Access;
using trace::SiteKind;
using trace::Space;

// What counting needs of a site, without its texts.
struct TotalsCounter::Plan {
  bool leads = true;        // false: merged into another site
  int executed_bytes = 0;   // 0: as the event says
  std::int64_t offset = 0;  // of the executed access relative to the event's addresses
  bool over_turns = false;  // turns of a loop may share one execution (executed.h)
  bool reduction = false;   // global atomics whose result nobody reads
  bool floating_shared = false;
  ptx::AtomicForm atomic_form = ptx::AtomicForm::EveryLane;
  bool leaves = false;         // a branch that is none on the machine
  LaneMask lanes = kFullMask;  // ldmatrix and stmatrix: the lanes whose addresses are used
  bool constant = false;       // reads the constant space
  bool both_sides = false;     // a cp.async whose two sides are counted together
  bool past_l1 = false;        // cp.async.cg
  int constant_loads = 1;
};

// The site's last access that had no closed form, relative to its first lane. The counts depend on these
// alone: on the differences, and on where in a 128-byte line (or row of banks) the first lane starts; for
// global atomics on where in 2 MiB, which decides the tag banks.
struct TotalsCounter::Memo {
  bool filled = false;
  Space space = Space::None;
  int bytes = 0;
  LaneMask active = 0;
  std::uint64_t start = 0;
  std::array<std::uint64_t, kWarpSize> relative{};
  std::array<std::uint64_t, kWarpSize> on{};  // all ones for the active lanes
  std::uint64_t shared_start = 0;             // asynchronous copies: the other side
  std::array<std::uint64_t, kWarpSize> shared_relative{};
  GlobalCounts global;
  SharedCounts shared, loop_loads;

  // Plain pointers and no shift by the lane: this loop is the hot one, and so it vectorises.
  bool lies_as(const std::uint64_t* here, std::uint64_t base, const std::uint64_t* there) const {
    const std::uint64_t* const used = on.data();
    std::uint64_t difference = 0;
    for (int lane = 0; lane < kWarpSize; ++lane)
      difference |= ((here[lane] - base) ^ there[lane]) & used[lane];
    return difference == 0;
  }
  void remember(const Access& access, std::uint64_t base, std::uint64_t offset) {
    filled = true;
    space = access.space;
    bytes = access.bytes;
    active = access.active;
    start = offset;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      relative[lane] = access.addresses[lane] - base;
      on[lane] = std::uint64_t{0} - (active >> lane & 1u);
    }
  }

  // Of a copy both sides count, each by where it starts in 128 bytes.
  bool matches_copy(const Access& access) {
    const auto first = static_cast<std::size_t>(std::countr_zero(access.active));
    const std::uint64_t from = access.addresses[first], to = access.shared_addresses[first];
    if (filled && active == access.active && bytes == access.bytes && start == (from & 127u) &&
        shared_start == (to & 127u) && lies_as(access.addresses, from, relative.data()) &&
        lies_as(access.shared_addresses, to, shared_relative.data()))
      return true;
    remember(access, from, from & 127u);
    shared_start = to & 127u;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      shared_relative[lane] = access.shared_addresses[lane] - to;
    return false;
  }

  // Whether `access` has the remembered shape; otherwise remembers it, and the caller must fill in counts.
  bool matches(const Access& access) {
    const std::uint64_t base = access.addresses[std::countr_zero(access.active)];
    const bool plain =
        access.space != Space::Global || access.kind == SiteKind::Load || access.kind == SiteKind::Store;
    const std::uint64_t offset = base & (plain ? 127u : (2u << 20) - 1);
    if (filled && active == access.active && start == offset && bytes == access.bytes &&
        space == access.space && lies_as(access.addresses, base, relative.data()))
      return true;
    remember(access, base, offset);
    return false;
  }
};

namespace {

std::uint64_t first_address(const Access& access) {
  return access.addresses[std::countr_zero(access.active)];
}

}  // namespace

TotalsCounter::TotalsCounter(const std::vector<trace::Site>& sites, Copies copies) {
  auto plans = std::make_shared<std::vector<Plan>>();
  plans->reserve(sites.size());
  for (const trace::Site& site : sites) {
    Plan plan;
    plan.leads = is_executed(site);
    // Only a widened access differs from the event; the rest (texture, wmma) know their own width best.
    plan.executed_bytes = is_resized(site) ? site.executed_bytes : 0;
    plan.offset = site.executed_offset;
    plan.over_turns = is_joined_load(site);
    plan.reduction = site.reduction;
    plan.floating_shared = site.floating_shared_atomic;
    plan.atomic_form = site.atomic_form;
    plan.leaves = site.leaves;
    plan.constant = site.space == Space::Constant;
    plan.constant_loads = trace::constant_loads(site.bytes);
    plan.lanes = trace::naming_lanes(site);
    plan.both_sides = site.kind == SiteKind::AsyncCopy && copies == Copies::AsExecuted;
    plan.past_l1 = site.kind == SiteKind::AsyncCopy && bypasses_l1(site);
    plans->push_back(plan);
  }
  plans_ = std::move(plans);
  memos_.resize(plans_->size());
  totals_.sites.resize(plans_->size());
}

TotalsCounter::TotalsCounter(std::shared_ptr<const std::vector<Plan>> plans) : plans_(std::move(plans)) {
  memos_.resize(plans_->size());
  totals_.sites.resize(plans_->size());
}

TotalsCounter::~TotalsCounter() = default;

std::unique_ptr<trace::Listener> TotalsCounter::fork() const {
  return std::unique_ptr<trace::Listener>(new TotalsCounter(plans_));
}

void TotalsCounter::join(trace::Listener& other) {
  const Totals& more = static_cast<TotalsCounter&>(other).totals_;
  totals_.global_load += more.global_load;
  totals_.global_store += more.global_store;
  totals_.global_atomic += more.global_atomic;
  totals_.global_reduction += more.global_reduction;
  totals_.shared_load += more.shared_load;
  totals_.shared_store += more.shared_store;
  totals_.shared_atomic += more.shared_atomic;
  totals_.shared_async += more.shared_async;
  totals_.local_load += more.local_load;
  totals_.local_store += more.local_store;
  totals_.constant += more.constant;
  totals_.branches += more.branches;
  totals_.divergent_branches += more.divergent_branches;
  for (std::size_t i = 0; i < totals_.sites.size() && i < more.sites.size(); ++i) {
    SiteTotals& site = totals_.sites[i];
    const SiteTotals& extra = more.sites[i];
    site.executions += extra.executions;
    site.lanes += extra.lanes;
    site.global += extra.global;
    site.shared += extra.shared;
    site.constant += extra.constant;
    site.divergent += extra.divergent;
  }
}

trace::Listener::Wants TotalsCounter::wants() const {
  // Parameter loads are events too; without a constant load in the kernel none of them is worth its cost.
  bool constants = false;
  for (const Plan& plan : *plans_) constants = constants || plan.constant;
  return {.accesses = true, .branches = true, .barriers = true, .masks = false, .constants = constants};
}

void TotalsCounter::on_access(const Access& access) {
  if (access.active == 0 || access.site >= plans_->size()) return;
  const Plan& plan = (*plans_)[access.site];
  SiteTotals& site = totals_.sites[access.site];
  site.executions += 1;
  site.lanes += static_cast<std::uint64_t>(active_lanes(access.active));
  if (!plan.leads) return;
  Memo& memo = memos_[access.site];
  const LaneMask lanes = executing_lanes(plan.atomic_form, access.active) & plan.lanes;
  if (plan.executed_bytes == 0 && lanes == access.active) return count(access, plan, site, memo);
  Access executed = access;
  executed.active = lanes;
  if (executed.active == 0) return;
  if (plan.over_turns && !starts_wide_load(first_address(executed), plan.executed_bytes, plan.offset)) return;
  if (plan.executed_bytes != 0) executed.bytes = static_cast<std::uint8_t>(plan.executed_bytes);
  std::array<std::uint64_t, kWarpSize> moved;
  if (plan.offset != 0) {
    for (std::size_t lane = 0; lane < moved.size(); ++lane)
      moved[lane] = access.addresses[lane] + static_cast<std::uint64_t>(plan.offset);
    executed.addresses = moved.data();
  }
  count(executed, plan, site, memo);
}

void TotalsCounter::count(const Access& access, const Plan& plan, SiteTotals& site, Memo& memo) {
  switch (access.space) {
    case Space::Global:
      return count_global_access(access, plan, site, memo);
    case Space::Shared:
      return count_shared_access(access, plan, site, memo);
    case Space::Local:
      return count_local_access(access, site, memo);
    case Space::Constant:
      return count_constant_access(access, plan, site);
    default:
      return;
  }
}

void TotalsCounter::count_global_access(const Access& access, const Plan& plan, SiteTotals& site,
                                        Memo& memo) {
  if (access.kind == SiteKind::BulkCopy) return;  // moved by the copy engine, not by the lanes
  if (plan.both_sides && access.shared_addresses != nullptr)
    return count_copy_as_executed(access, plan, site);
  GlobalCounts counts;
  if (!access.affine || !count_global_affine(access.kind, access.bytes, access.active, first_address(access),
                                             access.stride, counts)) {
    if (!memo.matches(access))
      memo.global = count_global(access.kind, access.bytes, access.active, access.addresses);
    counts = memo.global;
  }
  site.global += counts;
  const bool reduces =
      access.kind == SiteKind::Reduction || (access.kind == SiteKind::Atomic && plan.reduction);
  GlobalCounts& total = is_load(access.kind)    ? totals_.global_load
                        : is_store(access.kind) ? totals_.global_store
                        : reduces               ? totals_.global_reduction
                                                : totals_.global_atomic;
  total += counts;
  if (access.kind != SiteKind::AsyncCopy || access.shared_addresses == nullptr) return;
  const SharedCounts shared =
      count_shared(SiteKind::AsyncCopy, access.bytes, access.active, access.shared_addresses);
  site.shared += shared;
  totals_.shared_async += shared;
}

void TotalsCounter::count_copy_as_executed(const Access& access, const Plan& plan, SiteTotals& site) {
  Memo& memo = memos_[access.site];
  if (!memo.matches_copy(access)) {
    const CopyCounts counts =
        count_copy(plan.past_l1, access.bytes, access.active, access.addresses, access.shared_addresses);
    memo.global = counts.global;
    memo.shared = counts.shared;
  }
  site.global += memo.global;
  totals_.global_load += memo.global;
  site.shared += memo.shared;
  totals_.shared_async += memo.shared;
}

void TotalsCounter::count_shared_access(const Access& access, const Plan& plan, SiteTotals& site,
                                        Memo& memo) {
  if (access.kind == SiteKind::BulkCopy) return;
  SharedCounts counts, loop_loads;
  // ATOMS.POPC.INC serves lanes on the same word together, as a store does.
  const SiteKind served = plan.atomic_form == ptx::AtomicForm::CountLanes ? SiteKind::Store : access.kind;
  if (plan.floating_shared || !access.affine ||
      !count_shared_affine(served, access.bytes, access.active, first_address(access), access.stride,
                           counts)) {
    if (!memo.matches(access)) {
      memo.loop_loads = {};
      memo.shared = count_shared(served, access.bytes, access.active, access.addresses, plan.floating_shared,
                                 &memo.loop_loads);
    }
    counts = memo.shared;
    loop_loads = memo.loop_loads;
  }
  if (plan.floating_shared) {  // A4: the loop's loads are loads on the counters
    site.shared += loop_loads;
    totals_.shared_load += loop_loads;
  }
  site.shared += counts;
  SharedCounts& total = is_load(access.kind)    ? totals_.shared_load
                        : is_store(access.kind) ? totals_.shared_store
                                                : totals_.shared_atomic;
  total += counts;
}

void TotalsCounter::count_local_access(const Access& access, SiteTotals& site, Memo& memo) {
  if (!memo.matches(access)) memo.global = count_local(access.bytes, access.active, access.addresses);
  site.global += memo.global;
  // Atomics cannot reach local memory other than through a generic address; they read and write.
  if (!is_store(access.kind)) totals_.local_load += memo.global;
  if (!is_load(access.kind)) totals_.local_store += memo.global;
}

void TotalsCounter::count_constant_access(const Access& access, const Plan& plan, SiteTotals& site) {
  const bool uniform = access.affine && access.stride == 0;
  const auto loads = static_cast<std::uint64_t>(plan.constant_loads);
  const auto distinct =
      uniform ? 1u : static_cast<std::uint64_t>(distinct_addresses(access.active, access.addresses));
  const ConstantCounts counts{loads, loads * distinct};
  site.constant += counts;
  totals_.constant += counts;
}

void TotalsCounter::on_branch(const trace::Branch& branch) {
  if (branch.active == 0) return;
  const bool divergent = branch.taken != 0 && branch.taken != branch.active;
  const bool known = branch.site < totals_.sites.size();
  if (!known || !(*plans_)[branch.site].leaves) {
    totals_.branches += 1;
    totals_.divergent_branches += divergent ? 1 : 0;
  }
  if (!known) return;
  SiteTotals& site = totals_.sites[branch.site];
  site.executions += 1;
  site.lanes += static_cast<std::uint64_t>(active_lanes(branch.active));
  site.divergent += divergent ? 1 : 0;
}

void TotalsCounter::on_barrier(const trace::Barrier& barrier) {
  if (barrier.phase == trace::Barrier::Phase::Release || barrier.site >= totals_.sites.size()) return;
  SiteTotals& site = totals_.sites[barrier.site];
  site.executions += 1;
  site.lanes += static_cast<std::uint64_t>(active_lanes(barrier.lanes));
}

}  // namespace warplens::analysis
