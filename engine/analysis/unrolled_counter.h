// Totals as the machine executes loops that ptxas unrolls again (engine/ptx/facts/unrolled_loops.h): a
// TotalsCounter whose events of such loops are put in the machine's order first.
//
//   UnrolledCounter counter(kernel.sites(), module);
//   simt::run(kernel, launch, {}, {&counter});
//   counter.totals().global_load.requests;
//
// Lanes of a warp that make 5 and 6 turns of a loop meet in the PTX for five turns; on the machine both make
// four together, then one does its last turn alone while the other makes two. So the accesses of a loop are
// held back until the last lane has left it, and counted again lane by lane in the copy of the body where the
// machine makes them. Loops whose lanes all make the same number of turns only lose branches.
//
// A loop of more turns than kMostTurns with lanes of different counts is counted as written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "engine/analysis/warp_totals.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/trace/event.h"

namespace warplens::analysis {

class UnrolledCounter : public trace::Listener {
 public:
  static constexpr std::size_t kMostTurns = 4096;

  UnrolledCounter(const std::vector<trace::Site>& sites, const ptx::Module& module);
  ~UnrolledCounter() override;
  // As of WarpTotalsCounter.
  void keep_warps() { inner_->keep_warps(); }
  std::shared_ptr<const WarpTotals> warps() const { return inner_->warps(); }
  std::unique_ptr<trace::Listener> fork() const override;
  void join(trace::Listener& other) override;
  Wants wants() const override { return inner_->wants(); }
  void on_launch(const trace::Launch& launch, std::span<const std::uint64_t> bases) override {
    inner_->on_launch(launch, bases);
  }
  void on_access(const trace::Access& access) override;
  void on_branch(const trace::Branch& branch) override;
  void on_barrier(const trace::Barrier& barrier) override { inner_->on_barrier(barrier); }
  void on_block_end(std::uint64_t block) override;
  const Totals& totals();

 private:
  struct Plan;
  struct Turns;
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // block, warp, loop

  UnrolledCounter(std::shared_ptr<const Plan> plan, std::unique_ptr<WarpTotalsCounter> inner);
  Turns& turns_of(const trace::WarpId& warp, std::uint32_t loop);
  void finish(Turns& turns);
  void replay_accesses(const Turns& turns);
  void replay_branches(const Turns& turns);
  void forward_as_written(Turns& turns);

  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<WarpTotalsCounter> inner_;
  std::map<Key, Turns> running_;
};

}  // namespace warplens::analysis
