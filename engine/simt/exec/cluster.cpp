#include "engine/simt/exec/cluster.h"

#include <fmt/format.h>

#include <bit>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

std::uint64_t ClusterShape::cluster_of(std::uint64_t block) const {
  const Dim3 at = unflatten(block, grid);
  const std::uint64_t wide = grid.x / cluster.x, high = grid.y / cluster.y;
  return at.x / cluster.x + wide * (at.y / cluster.y + high * (at.z / cluster.z));
}

std::uint32_t ClusterShape::rank_of(std::uint64_t block) const {
  const Dim3 at = unflatten(block, grid);
  return at.x % cluster.x + cluster.x * (at.y % cluster.y + cluster.y * (at.z % cluster.z));
}

std::uint64_t ClusterShape::block(std::uint64_t index, std::uint32_t rank) const {
  if (blocks() == 1) return index;
  const Dim3 clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const Dim3 outer = unflatten(index, clusters), inner = unflatten(rank, cluster);
  const std::uint64_t x = std::uint64_t{outer.x} * cluster.x + inner.x;
  const std::uint64_t y = std::uint64_t{outer.y} * cluster.y + inner.y;
  const std::uint64_t z = std::uint64_t{outer.z} * cluster.z + inner.z;
  return x + grid.x * (y + grid.y * z);
}

void Cta::join_cluster(const std::shared_ptr<Cluster>& cluster, std::uint32_t rank) {
  if (alone_ == nullptr) {
    alone_ = std::make_shared<Cluster>();
    alone_->blocks.resize(1);
  }
  alone_->alive = alone_->arrived = 0;
  cluster_ = cluster != nullptr ? cluster : alone_;
  rank_ = rank;
  cluster_->blocks[rank] = this;
  cluster_->alive += threads_;
}

// ---- the cluster's barrier

void Cta::arrive_at_cluster(WarpControl& w, std::size_t split, const Segment& segment) {
  const LaneMask lanes = w.splits[split].mask;
  for (unsigned l = 0; l < kWarpSize; ++l) {
    if (lane_in(lanes, l)) w.cluster_phase[l] = cluster_->phase;
  }
  emit_barrier(w, segment, lanes, trace::Barrier::Phase::Arrive, kClusterBarrier);
  cluster_->arrived += static_cast<std::uint32_t>(std::popcount(lanes));
  advance(w, split, segment.next);
  check_cluster();
}

void Cta::wait_for_cluster(WarpControl& w, std::size_t split, const Segment& segment) {
  Split& s = w.splits[split];
  // An instruction of its own, which the GPU's recorder counts as one.
  emit_barrier(w, segment, s.mask, trace::Barrier::Phase::Arrive, kClusterBarrier);
  const std::uint32_t phase = w.cluster_phase[std::countr_zero(s.mask)];
  if (phase != 0 && phase < cluster_->phase) {
    advance(w, split, segment.next);
    return;
  }
  s.state = Split::State::AtBarrier;
  s.barrier = kClusterBarrier;
}

void Cta::check_cluster() {
  if (cluster_->arrived == 0 || cluster_->arrived < cluster_->alive) return;
  cluster_->arrived = 0;
  ++cluster_->phase;
  for (Cta* block : cluster_->blocks) {
    if (block != nullptr) block->leave_cluster_barrier();
  }
}

void Cta::leave_cluster_barrier() {
  ++progress_;
  order_accesses();
  if (shadow_ != nullptr) shadow_->cluster_barrier = shadow_->barrier;
  for (WarpControl& w : warps_) {
    for (std::size_t i = w.splits.size(); i-- > 0;) {
      const Split& s = w.splits[i];
      if (s.state != Split::State::AtBarrier || s.barrier != kClusterBarrier) continue;
      const std::uint32_t phase = w.cluster_phase[std::countr_zero(s.mask)];
      if (phase == 0 || phase >= cluster_->phase) continue;
      const Segment& segment = program_.segments[s.segment];
      emit_barrier(w, segment, s.mask, trace::Barrier::Phase::Release, kClusterBarrier);
      advance(w, i, segment.next);
    }
  }
}

bool Cta::waits_for_cluster() const {
  for (const WarpControl& w : warps_) {
    for (const Split& s : w.splits) {
      if (s.state == Split::State::AtBarrier && s.barrier == kClusterBarrier) return true;
    }
  }
  return false;
}

void Cta::report_cluster_wait(WarpControl& w, const Split& split) {
  const Segment& segment = program_.segments[split.segment];
  report_fault(w.warp, program_.ops[segment.op], trace::FaultKind::DivergentBarrier, split.mask,
               {"fault.cluster.not_all",
                {{"arrived", value_of(cluster_->arrived)}, {"expected", value_of(cluster_->alive)}}});
}

// ---- the blocks' shared memory

Cta* Cta::block_of(std::uint64_t shared_address) {
  const std::uint64_t rank = (shared_address & 0xffffffffu) >> kRankShift;
  if (rank == 0) return this;
  return rank <= cluster_->blocks.size() ? cluster_->blocks[rank - 1] : nullptr;
}

std::uint64_t Cta::issued() const {
  std::uint64_t sum = 0;
  for (const WarpControl& w : warps_) sum += w.warp.issued;
  return sum;
}

void Cta::end() {
  cluster_->blocks[rank_] = nullptr;
}

}  // namespace warplens::simt
