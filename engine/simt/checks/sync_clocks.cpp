#include "engine/simt/checks/sync_clocks.h"

#include <algorithm>

namespace warplens::simt {

namespace {

void join(std::span<std::uint64_t> to, std::span<const std::uint64_t> from) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

}  // namespace

void SyncClocks::reset(std::uint32_t warps, std::uint32_t rank, std::uint32_t blocks) {
  warps_ = warps;
  rank_ = rank;
  slots_ = std::size_t{warps} * blocks + 1;
  used_ = false;
  known_.assign(warps * slots_, 0);
  counted_.clear();
  flags_.clear();
  phases_.clear();
}

void SyncClocks::tell(std::uint32_t warp, std::uint64_t until, Clock& into) {
  used_ = true;
  into.resize(slots_);
  join(into, known(warp));
  std::uint64_t& own = into[rank_ * warps_ + warp];
  own = std::max(own, until);
}

void SyncClocks::take(std::uint32_t warp, const Clock& from) {
  used_ = used_ || !from.empty();
  join(known(warp), from);
}

void SyncClocks::acquire(std::uint32_t warp, std::uint64_t stamp) {
  used_ = true;
  std::uint64_t& last = known(warp)[slots_ - 1];
  last = std::max(last, stamp);
}

void SyncClocks::meet(std::uint64_t until) {
  if (!used_) return;
  const std::span<std::uint64_t> all = known(0);
  for (std::uint32_t w = 1; w < warps_; ++w) join(all, known(w));
  for (std::uint32_t w = 0; w < warps_; ++w) all[rank_ * warps_ + w] = until;
  for (std::uint32_t w = 1; w < warps_; ++w) std::copy(all.begin(), all.end(), known(w).begin());
}

const Clock* SyncClocks::flag_if_any(std::uint64_t offset) const {
  const auto found = flags_.find(offset);
  return found == flags_.end() ? nullptr : &found->second;
}

void SyncClocks::end_phase(std::uint64_t offset) {
  Phases& at = phases_[offset];
  at.over.resize(std::max(at.over.size(), at.arriving.size()));
  join(at.over, at.arriving);
  at.arriving.clear();
}

}  // namespace warplens::simt
