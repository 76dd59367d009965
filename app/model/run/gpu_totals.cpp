#include "app/model/run/gpu_totals.h"

namespace warplens::model {
namespace {

using analysis::GlobalCounts;
using analysis::SharedCounts;
using analysis::SiteTotals;
using analysis::Totals;
using gpu::CounterFamily;
using trace::Site;
using trace::SiteKind;

GlobalCounts global_counts(const gpu::SlotTotals& slot) {
  const auto& c = slot.counts;
  GlobalCounts out;
  out.requests = c[2];
  out.sectors = c[3];
  out.sectors_ideal = c[4];
  out.lines = c[5];
  out.bytes_unique = c[6];
  out.bytes_requested = c[7];
  return out;
}

SharedCounts shared_counts(const gpu::SlotTotals& slot) {
  SharedCounts out;
  out.requests = slot.counts[2];
  out.wavefronts = slot.counts[3];
  out.wavefronts_ideal = slot.counts[4];
  out.bank_conflicts = slot.counts[5];
  return out;
}

void add_global(const Site& site, const GlobalCounts& counts, Totals& totals) {
  if (is_load(site.kind))
    totals.global_load += counts;
  else if (is_store(site.kind))
    totals.global_store += counts;
  else if (site.kind == SiteKind::Reduction || (site.kind == SiteKind::Atomic && site.reduction))
    totals.global_reduction += counts;
  else
    totals.global_atomic += counts;
}

void add_shared(const Site& site, const SharedCounts& counts, Totals& totals) {
  (is_load(site.kind)    ? totals.shared_load
   : is_store(site.kind) ? totals.shared_store
                         : totals.shared_atomic) += counts;
}

void add_slot(const gpu::SlotTotals& slot, const Site& site, Totals& totals) {
  SiteTotals& own = totals.sites[site.index];
  const CounterFamily family = slot.slot.family;
  // The loads of a loop and the far end of a copy belong to executions that are counted already.
  if (family != CounterFamily::SharedLoads && family != CounterFamily::SharedAsync) {
    own.executions += slot.counts[0];
    own.lanes += slot.counts[1];
  }
  if (family == CounterFamily::Global || family == CounterFamily::Local) {
    const GlobalCounts counts = global_counts(slot);
    own.global += counts;
    if (family == CounterFamily::Global) return add_global(site, counts, totals);
    // Atomics read and write.
    if (!is_store(site.kind)) totals.local_load += counts;
    if (!is_load(site.kind)) totals.local_store += counts;
  } else if (family == CounterFamily::Constant) {
    const analysis::ConstantCounts counts{slot.counts[2], slot.counts[3]};
    own.constant += counts;
    totals.constant += counts;
  } else if (family == CounterFamily::Branch) {
    own.divergent += slot.counts[2];
    if (site.leaves) return;  // an exit on the machine, and no branch
    totals.branches += slot.counts[0];
    totals.divergent_branches += slot.counts[2];
  } else if (family != CounterFamily::Lanes) {
    const SharedCounts counts = shared_counts(slot);
    own.shared += counts;
    if (family == CounterFamily::Shared) return add_shared(site, counts, totals);
    (family == CounterFamily::SharedLoads ? totals.shared_load : totals.shared_async) += counts;
  }
}

}  // namespace

Totals totals_of(const gpu::CountedTotals& counted, const std::vector<Site>& sites) {
  Totals totals;
  totals.sites.resize(sites.size());
  for (const gpu::SlotTotals& slot : counted.slots)
    if (slot.slot.site < sites.size()) add_slot(slot, sites[slot.slot.site], totals);
  return totals;
}

}  // namespace warplens::model
