#include "engine/simt/checks/shadow_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/simt/launch/worker.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

// Does the warp's own synchronisation order what that lane of it did before what this one does now?
bool warp_orders(const SharedShadow::Warp& warp, std::uint32_t lane, const Mark& earlier) {
  const std::uint32_t other = earlier.thread() % kWarpSize;
  return earlier.time() < warp.barrier ||
         (!warp.lanes.empty() && earlier.time() < warp.lanes[lane * kWarpSize + other]);
}

// Before which time was what a write to a flag publishes? 0: it publishes nothing. A release is a fence of
// its own; any other write counts from the last fence of its block on.
std::uint32_t published_until(const Current& now) {
  const bool orders = (now.op.flags & memory_flags::kOrders) != 0;
  return orders ? now.block.tick() : now.block.fence;
}

// Remembers for advice what the warp tells others by, and what it looks at to be told.
void note_flag(const Current& now, unsigned lane, std::uint64_t address) {
  const Mark by(now.block.now, now.warp.index * kWarpSize + lane, now.op.instruction, true);
  if (now.looks) now.block.looked.add(address, by);
  if (now.what == Doing::Read) return;
  now.block.told.add(address, by);
  if (now.space != trace::Space::Global) return;
  auto& told = now.warp.worker->state->shadow->told;
  if (now.block.told_others == nullptr && told.size() < GlobalShadow::kMostTold)
    now.block.told_others = &told[static_cast<std::uint32_t>(now.warp.cta->block())];
  if (now.block.told_others != nullptr) now.block.told_others->add(address, by);
}

}  // namespace

bool GlobalShadow::Release::covers(const Mark& access) const {
  // The write to the flag itself, of which whoever looks at it has seen the value.
  if (access.strong() && access.thread() == by.thread() && access.instruction() == by.instruction() &&
      access.time() <= by.time())
    return true;
  if (access.time() >= until) return false;
  if (access.thread() == by.thread() || access.time() < block_barrier) return true;
  if (!warps.empty() && access.time() < warps[warp_of(access)]) return true;
  return warp_of(access) == warp_of(by) &&
         (access.time() < warp_barrier ||
          (!lanes.empty() && access.time() < lanes[access.thread() % kWarpSize]));
}

bool clocks_order(Warp& warp, std::uint32_t rank, const Mark& earlier) {
  return warp.cta->shadow()->clocks.orders(warp.index, rank, warp_of(earlier), earlier.time());
}

bool unordered_in_block(const Current& now, const Mark& earlier, std::uint32_t thread, std::uint32_t bytes) {
  if (!earlier.used() || earlier.time() < now.block.barrier || earlier.thread() == thread) return false;
  if ((earlier.bytes() & bytes) == 0) return false;
  const bool same_warp = warp_of(earlier) == thread / kWarpSize;
  if (same_warp && warp_orders(now.block.warps[now.warp.index], thread % kWarpSize, earlier)) return false;
  if (clocks_order(now.warp, now.warp.cta->rank(), earlier)) return false;
  if (same_warp && ends_what_was_used(now, earlier.instruction())) return false;
  if (!earlier.strong() || !now.strong) return !is_checked_by_swap(now, earlier);
  return same_warp && now.space == trace::Space::Shared && is_volatile(now, now.op.instruction) &&
         is_volatile(now, earlier.instruction());
}

bool clash(const Current& now, const Mark& earlier, std::uint32_t bytes) {
  if (!earlier.used() || (earlier.bytes() & bytes) == 0) return false;
  if (!earlier.strong() || !now.strong) return !is_checked_by_swap(now, earlier);
  return has_block_scope(now, earlier.instruction()) || has_block_scope(now, now.op.instruction);
}

bool unordered_globally(const Current& now, const GlobalShadow::Entry& earlier, std::uint32_t thread,
                        std::uint32_t bytes) {
  if (!earlier.mark.used()) return false;
  if (earlier.block == static_cast<std::uint32_t>(now.warp.cta->block())) {
    return unordered_in_block(now, earlier.mark, thread, bytes);
  }
  if (!clash(now, earlier.mark, bytes)) return false;
  // A release of the block after that access, if this warp has seen it, orders the two.
  const auto& releases = now.warp.worker->state->shadow->releases;
  const auto found = releases.find(earlier.block);
  if (found == releases.end()) return true;
  constexpr std::size_t kLookedAt = 256;  // beyond that one of them is taken for granted
  const std::uint64_t acquired = std::max(now.block.acquired, now.block.clocks.acquired(now.warp.index));
  // A write to a flag is part of its release.
  const std::size_t first = earlier.releases - (earlier.mark.strong() && earlier.releases > 0 ? 1 : 0);
  if (!found->second.remembers(first)) return acquired == 0;
  const std::size_t end = std::min<std::size_t>(found->second.size(), first + kLookedAt);
  for (std::size_t i = first; i < end && found->second[i].stamp <= acquired; ++i)
    if (found->second[i].covers(earlier.mark)) return false;
  return end != first + kLookedAt || found->second[end - 1].stamp > acquired;
}

void publish(const Current& now, unsigned lane, std::uint64_t address) {
  note_flag(now, lane, address);
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  const auto block = static_cast<std::uint32_t>(now.warp.cta->block());
  if (now.what != Doing::Write) {
    if (const Clock* flag = now.block.clocks.flag_if_any(address))
      now.block.clocks.take(now.warp.index, *flag);
    const auto found = shadow.flags.find(address);
    if (found != shadow.flags.end() && found->second.block != block && found->second.for_other_blocks &&
        !has_block_scope(now, now.op.instruction))
      now.block.clocks.acquire(now.warp.index, found->second.stamp);
  }
  if (now.what == Doing::Read) return;
  const std::uint32_t until = published_until(now);
  if (until == 0) return;
  const bool orders = (now.op.flags & memory_flags::kOrders) != 0;
  const bool wide = now.block.wide_fence != 0 || orders;
  GlobalShadow::Flag& flag = shadow.flags[address];
  // What an atomic changes still tells what its place told before.
  const bool goes_on = now.what == Doing::Both && flag.for_other_blocks;
  flag = {++shadow.stamp, block, goes_on || (wide && !has_block_scope(now, now.op.instruction))};
  ++now.block.releases;
  now.block.clocks.tell(now.warp.index, until, now.block.clocks.flag(address));
  const SharedShadow::Warp& warp = now.block.warps[now.warp.index];
  GlobalShadow::Release release;
  release.stamp = shadow.stamp;
  release.by = Mark(now.block.now, now.warp.index * kWarpSize + lane, now.op.instruction, true);
  release.until = orders ? until : now.block.wide_fence;
  release.block_barrier = now.block.barrier;
  release.warp_barrier = warp.barrier;
  if (!warp.lanes.empty()) {
    const auto first = warp.lanes.begin() + static_cast<std::ptrdiff_t>(lane * kWarpSize);
    release.lanes.assign(first, first + kWarpSize);
  }
  const auto known = now.block.clocks.known_of_block(now.warp.index);
  release.warps.assign(known.begin(), known.end());
  shadow.releases[block].add(std::move(release));
}

void publish_shared(const Current& now, SharedShadow& there, unsigned lane, std::uint64_t offset) {
  note_flag(now, lane, offset);
  SyncClocks& clocks = now.block.clocks;
  if (now.what != Doing::Write) {
    if (const Clock* flag = there.clocks.flag_if_any(offset)) clocks.take(now.warp.index, *flag);
  }
  if (now.what == Doing::Read) return;
  if (const std::uint32_t until = published_until(now); until != 0)
    clocks.tell(now.warp.index, until, there.clocks.flag(offset));
}

void shadow_warp_barrier(Warp& warp, LaneMask lanes) {
  const bool all = (lanes | warp.exited) == kFullMask;
  if (warp.worker->screen != nullptr) {
    if (all) warp.worker->screen->warp_barrier(warp.index);  // else it goes on to suspect the lanes
    return;
  }
  SharedShadow& block = *warp.cta->shadow();
  SharedShadow::Warp& own = block.warps[warp.index];
  const std::uint32_t now = block.tick();
  if (all) {
    own.barrier = now;
    own.lanes.clear();
    return;
  }
  if (own.lanes.empty()) own.lanes.assign(std::size_t{kWarpSize} * kWarpSize, 0);
  // What one of them knows all know now, and of each other everything.
  std::array<std::uint32_t, kWarpSize> known{};
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t* row = &own.lanes[static_cast<std::size_t>(std::countr_zero(left)) * kWarpSize];
    for (std::size_t l = 0; l < kWarpSize; ++l) known[l] = std::max(known[l], row[l]);
  }
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    known[static_cast<std::size_t>(std::countr_zero(left))] = now;
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    std::copy(known.begin(), known.end(),
              &own.lanes[static_cast<std::size_t>(std::countr_zero(left)) * kWarpSize]);
}

void shadow_fence(Warp& warp, bool of_the_block_only) {
  if (warp.worker->screen != nullptr) return;  // it takes no order between blocks for granted
  SharedShadow& block = *warp.cta->shadow();
  block.fence = block.tick();
  if (!of_the_block_only) block.wide_fence = block.fence;
}

void shadow_block_barrier(Cta& block) {
  SharedShadow& shadow = *block.shadow();
  shadow.barrier = shadow.tick();
  shadow.clocks.meet(shadow.barrier);
  shadow.acquired = std::max(shadow.acquired, shadow.clocks.acquired(0));
}

void shadow_tell(Warp& warp, Clock& barrier) {
  SharedShadow& block = *warp.cta->shadow();
  block.clocks.tell(warp.index, block.tick(), barrier);
}

}  // namespace warplens::simt
