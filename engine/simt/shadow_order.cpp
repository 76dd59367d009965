#include "engine/simt/shadow_order.h"

#include <algorithm>

#include "engine/simt/worker.h"

namespace warplens::simt {

namespace {

using Doing = ScreenedAccess::Doing;

// Does that release publish what the access of its block did?
bool publishes(const GlobalShadow::Release& release, const Mark& access) {
  if (release.by.epoch() != access.epoch() || release.by.thread() == access.thread()) return true;
  return warp_of(release.by) == warp_of(access) && release.by.warp_epoch() != access.warp_epoch();
}

// Marks keep ten bits of a warp's epoch: where they begin anew the block's goes on, which orders too much
// rather than too little.
void next_warp_epoch(Warp& warp) {
  if ((++warp.cta->shadow()->warp_epochs[warp.index] & 1023) == 0) warp.cta->next_epoch();
}

}  // namespace

bool clocks_order(Warp& warp, std::uint32_t rank, const Mark& earlier) {
  return warp.cta->shadow()->clocks.orders(warp.index, rank, warp_of(earlier),
                                           SyncClocks::time(earlier.epoch(), earlier.warp_epoch()));
}

bool unordered_in_block(const Current& now, const Mark& earlier, std::uint32_t thread, std::uint32_t bytes) {
  if (!earlier.used() || earlier.epoch() != (now.epoch & 0x3fffff) || earlier.thread() == thread)
    return false;
  if ((earlier.bytes() & bytes) == 0) return false;
  const bool same_warp = warp_of(earlier) == thread / kWarpSize;
  if (same_warp && earlier.warp_epoch() != (now.warp_epoch & 1023)) return false;
  if (!same_warp && clocks_order(now.warp, now.warp.cta->rank(), earlier)) return false;
  if (!earlier.strong() || !now.strong) return true;
  return same_warp && now.space == trace::Space::Shared && is_volatile(now, now.op.instruction) &&
         is_volatile(now, earlier.instruction());
}

bool clash(const Current& now, const Mark& earlier, std::uint32_t bytes) {
  if (!earlier.used() || (earlier.bytes() & bytes) == 0) return false;
  return !earlier.strong() || !now.strong || has_block_scope(now, earlier.instruction()) ||
         has_block_scope(now, now.op.instruction);
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
  const std::size_t end = std::min<std::size_t>(found->second.size(), earlier.releases + kLookedAt);
  for (std::size_t i = earlier.releases; i < end && found->second[i].stamp <= acquired; ++i)
    if (publishes(found->second[i], earlier.mark)) return false;
  return end != earlier.releases + kLookedAt || found->second[end - 1].stamp > acquired;
}

void publish(const Current& now, unsigned lane, std::uint64_t address) {
  GlobalShadow& shadow = *now.warp.worker->state->shadow;
  const auto block = static_cast<std::uint32_t>(now.warp.cta->block());
  if (now.what != Doing::Write) {
    const auto found = shadow.flags.find(address);
    if (found != shadow.flags.end() && found->second.block == block) {
      now.warp.cta->next_epoch();
    } else if (found != shadow.flags.end() && found->second.for_other_blocks &&
               !has_block_scope(now, now.op.instruction)) {
      now.block.clocks.acquire(now.warp.index, found->second.stamp);
    }
  }
  if (now.what == Doing::Read) return;
  const bool orders = (now.op.flags & memory_flags::kOrders) != 0;
  if (now.block.fenced == SharedShadow::Fence::None && !orders) return;
  const bool wide = now.block.fenced == SharedShadow::Fence::Device || orders;
  shadow.flags[address] = {++shadow.stamp, block, wide && !has_block_scope(now, now.op.instruction)};
  ++now.block.releases;
  const Mark by(now.warp.cta->barrier_epoch() + 1, now.warp.index * kWarpSize + lane, now.op.instruction,
                now.warp_epoch, true);
  shadow.releases[block].push_back({shadow.stamp, by});
}

void publish_shared(const Current& now, SharedShadow& there, std::uint64_t offset) {
  SyncClocks& clocks = now.block.clocks;
  if (now.what != Doing::Write) {
    if (const Clock* flag = there.clocks.flag_if_any(offset)) clocks.take(now.warp.index, *flag);
  }
  const bool orders = (now.op.flags & memory_flags::kOrders) != 0;
  if (now.what != Doing::Read && (orders || now.block.fenced != SharedShadow::Fence::None))
    shadow_tell(now.warp, there.clocks.flag(offset));
}

void shadow_warp_barrier(Warp& warp, LaneMask) {
  if (warp.worker->screen != nullptr) {
    warp.worker->screen->warp_barrier(warp.index);
    return;
  }
  next_warp_epoch(warp);
}

void shadow_fence(Warp& warp, bool of_the_block_only) {
  if (warp.worker->screen != nullptr) return;  // it takes no order between blocks for granted
  using Fence = SharedShadow::Fence;
  Fence& fenced = warp.cta->shadow()->fenced;
  fenced = std::max(fenced, of_the_block_only ? Fence::Block : Fence::Device);
}

void shadow_block_barrier(Cta& block) {
  SharedShadow& shadow = *block.shadow();
  shadow.clocks.meet(SyncClocks::time(block.barrier_epoch() + 1, 0));
  shadow.acquired = std::max(shadow.acquired, shadow.clocks.acquired(0));
}

void shadow_tell(Warp& warp, Clock& barrier) {
  SharedShadow& block = *warp.cta->shadow();
  next_warp_epoch(warp);
  block.clocks.tell(warp.index,
                    SyncClocks::time(warp.cta->barrier_epoch() + 1, block.warp_epochs[warp.index]), barrier);
}

}  // namespace warplens::simt
