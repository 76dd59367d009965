// The listener that counts a whole launch: totals by space and kind, and the same a site.
//
//   TotalsCounter counter(kernel.sites());
//   simt::run(kernel, launch, {}, {&counter});
//   counter.totals().global_load.sectors;
//
// Counts as the machine executes: an access at a site that is merged into another counts nothing but its
// execution, its leader counts the wide access. Regular accesses have closed forms, and an access with the
// same shape as the site's last one is not counted again: both keep the counting cheaper than the execution.
#pragma once

#include <memory>
#include <vector>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/divergence.h"
#include "engine/analysis/shared_banks.h"
#include "engine/trace/event.h"

namespace warplens::analysis {

struct SiteTotals {
  std::uint64_t executions = 0;  // warp-level, at least one lane active
  std::uint64_t lanes = 0;       // sum of active lanes
  GlobalCounts global;           // global or local
  SharedCounts shared;           // also the shared side of AsyncCopy
  ConstantCounts constant;
  std::uint64_t divergent = 0;  // branches
};

struct Totals {
  GlobalCounts global_load, global_store, global_atomic, global_reduction;
  SharedCounts shared_load, shared_store, shared_atomic;
  SharedCounts shared_async;  // where cp.async writes: counters of its own, neither loads nor stores
  GlobalCounts local_load, local_store;
  ConstantCounts constant;
  std::uint64_t branches = 0, divergent_branches = 0;
  std::vector<SiteTotals> sites;  // index = site
};

class TotalsCounter : public trace::Listener {
 public:
  // How asynchronous copies are counted: each side by itself, as an instrumented run on a GPU does, or as the
  // machine does, where both decide (async_copies.h).
  enum class Copies { SideBySide, AsExecuted };
  explicit TotalsCounter(const std::vector<trace::Site>& sites, Copies copies = Copies::SideBySide);
  ~TotalsCounter() override;
  std::unique_ptr<trace::Listener> fork() const override;
  void join(trace::Listener& other) override;
  Wants wants() const override;
  void on_access(const trace::Access& access) override;
  void on_branch(const trace::Branch& branch) override;
  void on_barrier(const trace::Barrier& barrier) override;
  const Totals& totals() const { return totals_; }

 private:
  struct Plan;
  struct Memo;
  explicit TotalsCounter(std::shared_ptr<const std::vector<Plan>> plans);
  void count(const trace::Access& access, const Plan& plan, SiteTotals& site, Memo& memo);
  void count_global_access(const trace::Access& access, const Plan& plan, SiteTotals& site, Memo& memo);
  void count_copy_as_executed(const trace::Access& access, const Plan& plan, SiteTotals& site);
  void count_shared_access(const trace::Access& access, const Plan& plan, SiteTotals& site, Memo& memo);
  void count_local_access(const trace::Access& access, SiteTotals& site, Memo& memo);
  void count_constant_access(const trace::Access& access, const Plan& plan, SiteTotals& site);

  std::shared_ptr<const std::vector<Plan>> plans_;  // one a site, shared by all forks
  std::vector<Memo> memos_;                         // one a site
  Totals totals_;
};

}  // namespace warplens::analysis
