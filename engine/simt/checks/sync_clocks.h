// What orders warps that do not all meet at one __syncthreads(): counted barriers (bar.sync 1, 64),
// mbarriers, flags. Part of the exact check of races (shadow.h).
//
// Every block has a time, which goes on when one of its warps tells others how far it is (shadow.h). A warp
// knows of each other one a time before which all that one did is ordered before what it does next itself; an
// arrival leaves what the warp knows at the barrier, a wait that succeeds takes it.
//
//   warp 0: s[t] = x (time 7); arrive      the barrier knows: warp 0 up to 8; the block goes on at time 8
//   warp 1: wait; y = s[t]                 takes that: an access of warp 0 at time 7 is ordered, one at 8
//                                          is not
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace warplens::simt {

// What is known, a slot for each warp of the cluster (rank * warps a block + warp), and one behind them for
// the stamp of the last release between blocks that was seen (GlobalShadow). An empty one knows nothing.
using Clock = std::vector<std::uint64_t>;

// Of the warps of one block.
class SyncClocks {
 public:
  void reset(std::uint32_t warps, std::uint32_t rank, std::uint32_t blocks);

  // Is what that warp of that block did at `when` ordered before what `warp` does now?
  bool orders(std::uint32_t warp, std::uint32_t rank, std::uint32_t other, std::uint64_t when) const {
    return used_ && when < known(warp)[rank * warps_ + other];
  }
  std::uint64_t acquired(std::uint32_t warp) const { return known(warp)[slots_ - 1]; }
  // Up to when it knows the warps of its own block, one after the other; empty: nothing but their barriers.
  std::span<const std::uint64_t> known_of_block(std::uint32_t warp) const {
    return used_ ? known(warp).subspan(std::size_t{rank_} * warps_, warps_)
                 : std::span<const std::uint64_t>();
  }

  // The warp tells `into` what it knows and that it did everything before `until`.
  void tell(std::uint32_t warp, std::uint64_t until, Clock& into);
  void take(std::uint32_t warp, const Clock& from);
  void acquire(std::uint32_t warp, std::uint64_t stamp);
  // All warps of the block meet: whatever one of them knows all know now.
  void meet(std::uint64_t until);

  Clock& counted(std::uint32_t barrier) { return counted_[barrier]; }
  Clock& flag(std::uint64_t offset) { return flags_[offset]; }
  const Clock* flag_if_any(std::uint64_t offset) const;
  // An mbarrier: what those told who arrived in this phase; what those of the phases that are over did.
  struct Phases {
    Clock arriving, over;
  };
  Phases& phases(std::uint64_t offset) { return phases_[offset]; }
  void end_phase(std::uint64_t offset);

 private:
  std::span<std::uint64_t> known(std::uint32_t warp) {
    return {known_.data() + std::size_t{warp} * slots_, slots_};
  }
  std::span<const std::uint64_t> known(std::uint32_t warp) const {
    return {known_.data() + std::size_t{warp} * slots_, slots_};
  }

  std::uint32_t warps_ = 0, rank_ = 0;
  std::size_t slots_ = 0;
  bool used_ = false;  // until then only barriers of the whole block order anything
  std::vector<std::uint64_t> known_;
  std::unordered_map<std::uint32_t, Clock> counted_;
  std::unordered_map<std::uint64_t, Clock> flags_;
  std::unordered_map<std::uint64_t, Phases> phases_;
};

}  // namespace warplens::simt
