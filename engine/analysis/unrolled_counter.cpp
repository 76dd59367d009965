#include "engine/analysis/unrolled_counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace warplens::analysis {

using trace::Access;
using trace::Branch;

struct UnrolledCounter::Plan {
  struct Loop {
    trace::SiteId branch = trace::kNoSite;
    bool ends_by_equality = false, uniform = false;
  };
  std::vector<Loop> loops;
  std::vector<std::uint32_t> loop_of;  // of each site; kNone
};

namespace {

using LaneTurns = std::array<std::uint32_t, kWarpSize>;

struct Held {
  Access access;
  std::array<std::uint64_t, kWarpSize> addresses{}, shared{};
  std::uint32_t turn = 0;
};

// Which copy of the body a turn runs in, in the order in which the machine comes to the copies.
std::uint64_t copy_of(std::uint32_t turn, std::uint32_t turns) {
  constexpr std::uint64_t kTwo = std::uint64_t{1} << 40, kOne = std::uint64_t{1} << 41;
  const std::uint32_t fours = turns / 4 * 4;
  if (turn < fours) return turn;
  const std::uint32_t rest = turns - fours, at = turn - fours;
  return rest >= 2 && at < 2 ? kTwo + at : kOne;
}

template <typename Test>
LaneMask lanes_where(LaneMask lanes, Test test) {
  LaneMask out = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (lanes >> lane & 1u && test(lane)) out |= LaneMask{1} << lane;
  return out;
}

}  // namespace

// One warp's way through one loop, until its last lane has left it.
struct UnrolledCounter::Turns {
  const Plan::Loop* loop = nullptr;
  trace::WarpId warp;
  LaneMask entered = 0, running = 0;
  LaneTurns done{};            // turns that each lane has made,
  std::uint32_t together = 0;  // besides those that all that entered have made since
  std::vector<Held> held;
  std::vector<Branch> branches;
  bool as_written = false;  // too long to hold: passed on as it comes

  void make_turn(LaneMask active) {
    if (active == entered) {
      ++together;  // of most turns of most loops, and cheaper than 32 sums
      return;
    }
    settle();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) done[lane] += active >> lane & 1u;
    entered |= active;
  }
  void settle() {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) done[lane] += together * (entered >> lane & 1u);
    together = 0;
  }
  std::uint32_t made_by(unsigned lane) const { return done[lane] + together * (entered >> lane & 1u); }
};

UnrolledCounter::UnrolledCounter(const std::vector<trace::Site>& sites, const ptx::Module& module)
    : inner_(std::make_unique<WarpTotalsCounter>(sites, TotalsCounter::Copies::AsExecuted)) {
  auto plan = std::make_shared<Plan>();
  plan->loop_of.assign(sites.size(), ptx::kNone);
  std::set<std::uint32_t> functions;
  for (const trace::Site& site : sites) functions.insert(site.function);
  for (const std::uint32_t index : functions) {
    if (index >= module.functions.size()) continue;
    const auto lowered = ptx::lowered(module, module.functions[index]);
    for (const ptx::UnrolledLoop& found : lowered->loops) {
      Plan::Loop loop{trace::kNoSite, found.ends_by_equality, found.uniform};
      const auto number = static_cast<std::uint32_t>(plan->loops.size());
      for (const trace::Site& site : sites) {
        if (site.function != index || site.instruction < found.first || site.instruction > found.branch)
          continue;
        if (site.instruction == found.branch) loop.branch = site.index;
        if (site.instruction != found.branch && site.kind == trace::SiteKind::Branch) continue;
        // Where all lanes make the same turns the accesses are what they are.
        if (site.instruction == found.branch || !found.uniform) plan->loop_of[site.index] = number;
      }
      plan->loops.push_back(loop);
    }
  }
  plan_ = std::move(plan);
}

UnrolledCounter::UnrolledCounter(std::shared_ptr<const Plan> plan, std::unique_ptr<WarpTotalsCounter> inner)
    : plan_(std::move(plan)), inner_(std::move(inner)) {}

UnrolledCounter::~UnrolledCounter() = default;

std::unique_ptr<trace::Listener> UnrolledCounter::fork() const {
  auto inner = inner_->fork();
  std::unique_ptr<WarpTotalsCounter> counter(static_cast<WarpTotalsCounter*>(inner.release()));
  return std::unique_ptr<trace::Listener>(new UnrolledCounter(plan_, std::move(counter)));
}

void UnrolledCounter::join(trace::Listener& other) {
  auto& more = static_cast<UnrolledCounter&>(other);
  more.totals();
  inner_->join(*more.inner_);
}

const Totals& UnrolledCounter::totals() {
  for (auto& [key, turns] : running_) forward_as_written(turns);  // a run that ended inside a loop
  running_.clear();
  return inner_->totals();
}

void UnrolledCounter::on_block_end(std::uint64_t block) {
  const auto first = running_.lower_bound({block, 0, 0});
  const auto last = running_.upper_bound({block, ptx::kNone, ptx::kNone});
  for (auto at = first; at != last; ++at) forward_as_written(at->second);
  running_.erase(first, last);
  inner_->on_block_end(block);
}

UnrolledCounter::Turns& UnrolledCounter::turns_of(const trace::WarpId& warp, std::uint32_t loop) {
  const auto [at, fresh] = running_.try_emplace(Key{warp.block, warp.warp, loop});
  if (fresh) {
    at->second.loop = &plan_->loops[loop];
    at->second.warp = warp;
  }
  return at->second;
}

void UnrolledCounter::on_access(const Access& access) {
  const std::uint32_t loop = access.site < plan_->loop_of.size() ? plan_->loop_of[access.site] : ptx::kNone;
  if (loop == ptx::kNone || access.active == 0) return inner_->on_access(access);
  Turns& turns = turns_of(access.warp, loop);
  if (turns.as_written) return inner_->on_access(access);
  Held held;
  held.access = access;
  // Lanes that run together have made the same number of turns.
  held.turn = turns.made_by(static_cast<unsigned>(std::countr_zero(access.active)));
  std::copy_n(access.addresses, kWarpSize, held.addresses.begin());
  if (access.shared_addresses != nullptr)
    std::copy_n(access.shared_addresses, kWarpSize, held.shared.begin());
  turns.held.push_back(held);
}

void UnrolledCounter::on_branch(const Branch& branch) {
  const std::uint32_t loop = branch.site < plan_->loop_of.size() ? plan_->loop_of[branch.site] : ptx::kNone;
  if (loop == ptx::kNone || branch.active == 0) return inner_->on_branch(branch);
  Turns& turns = turns_of(branch.warp, loop);
  turns.make_turn(branch.active);
  turns.running = (turns.running | branch.active) & ~(branch.active & ~branch.taken);
  if (turns.as_written)
    inner_->on_branch(branch);
  else if (!turns.loop->uniform)
    turns.branches.push_back(branch);
  if (turns.branches.size() > kMostTurns) forward_as_written(turns);
  if (turns.running != 0) return;
  if (!turns.as_written) finish(turns);
  running_.erase({branch.warp.block, branch.warp.warp, loop});
}

void UnrolledCounter::forward_as_written(Turns& turns) {
  turns.as_written = true;
  for (Held& held : turns.held) {
    held.access.addresses = held.addresses.data();
    if (held.access.shared_addresses != nullptr) held.access.shared_addresses = held.shared.data();
    inner_->on_access(held.access);
  }
  for (const Branch& branch : turns.branches) inner_->on_branch(branch);
  turns.held.clear();
  turns.branches.clear();
}

void UnrolledCounter::finish(Turns& turns) {
  turns.settle();
  replay_accesses(turns);
  replay_branches(turns);
}

// Lanes come together that make a turn in the same copy of the body.
void UnrolledCounter::replay_accesses(const Turns& turns) {
  // Copy, place inside the turn (the site), and what the machine executes there.
  std::map<std::pair<std::uint64_t, trace::SiteId>, Held> together;
  for (const Held& held : turns.held) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((held.access.active >> lane & 1u) == 0) continue;
      const std::uint64_t copy = copy_of(held.turn, turns.done[lane]);
      const auto [at, fresh] = together.try_emplace({copy, held.access.site}, held);
      Held& group = at->second;
      if (fresh) {
        group.access.active = 0;
        group.access.affine = false;
      }
      group.access.active |= LaneMask{1} << lane;
      group.addresses[lane] = held.addresses[lane];
      group.shared[lane] = held.shared[lane];
    }
  }
  for (auto& [place, group] : together) {
    group.access.addresses = group.addresses.data();
    if (group.access.shared_addresses != nullptr) group.access.shared_addresses = group.shared.data();
    inner_->on_access(group.access);
  }
}

void UnrolledCounter::replay_branches(const Turns& turns) {
  Branch branch;
  branch.site = turns.loop->branch;
  branch.warp = turns.warp;
  const auto emit = [&](LaneMask active, LaneMask taken) {
    branch.active = active;
    branch.taken = taken;
    if (active != 0) inner_->on_branch(branch);
  };
  const LaneMask all = turns.entered;
  const auto& done = turns.done;
  if (turns.loop->ends_by_equality) emit(all, 0);
  const std::uint32_t first = done[static_cast<std::size_t>(std::countr_zero(all))];
  const bool same = lanes_where(all, [&](unsigned lane) { return done[lane] == first; }) == all;
  const auto makes = [&](std::uint32_t fours) -> LaneMask {
    if (same) return first / 4 >= fours ? all : 0;
    return lanes_where(all, [&](unsigned lane) { return done[lane] / 4 >= fours; });
  };
  LaneMask inside = makes(1);
  emit(all, all & ~inside);
  for (std::uint32_t fours = 2; inside != 0; ++fours) {
    const LaneMask on = makes(fours);
    emit(inside, on);
    inside = on;
  }
  emit(all, lanes_where(all, [&](unsigned lane) { return done[lane] % 4 < 2; }));
  const LaneMask last = lanes_where(all, [&](unsigned lane) { return done[lane] % 2 == 1; });
  emit(all, all & ~last);
  if (turns.loop->ends_by_equality) emit(last, 0);
}

}  // namespace warplens::analysis
