#include "engine/analysis/known_counts.h"

#include <algorithm>
#include <initializer_list>

namespace warplens::analysis {
namespace {

using Part = KnownCounts::Part;
using trace::Site;
using trace::SiteKind;
using trace::Space;

void add(Part& part, Known known) {
  part = part ? weaker(*part, known) : known;
}

Known weakest(std::initializer_list<Part> parts, Known otherwise) {
  Part out;
  for (const Part& part : parts)
    if (part) add(out, *part);
  return out.value_or(otherwise);
}

// Adds an executed access. One that joined another counts nothing itself, but that it joined is part of how
// the number is known.
void add_access(const Site& site, const SiteTotals& t, KnownCounts& out) {
  const bool store = trace::is_store(site.kind), atomic = trace::is_atomic(site.kind);
  const bool reduction = site.reduction || site.kind == SiteKind::Reduction;
  const bool generic = site.space == Space::Generic;
  if (site.space == Space::Constant) add(out.constant_load, site.known);
  if (site.space == Space::Local) add(store ? out.local_store : out.local_load, site.known);
  if (site.space == Space::Shared || (generic && t.shared.requests > 0))
    add(atomic ? out.shared_atomic : store ? out.shared_store : out.shared_load, site.known);
  // The loop that stands for an atomic without an instruction of its own loads as well.
  if (site.floating_shared_atomic && t.shared.requests > 0) add(out.shared_load, site.known);
  if (site.kind == SiteKind::AsyncCopy) add(out.shared_async, site.known);
  if (site.space == Space::Global || (generic && t.global.requests > 0))
    add(reduction ? out.global_reduction
        : atomic  ? out.global_atomic
        : store   ? out.global_store
                  : out.global_load,
        site.known);
}

}  // namespace

Known known_of(const std::vector<Site>& sites, trace::SiteId site) {
  if (site >= sites.size()) return Known::Rule;
  const Site& own = sites[site];
  return own.leader < sites.size() ? weaker(own.known, sites[own.leader].known) : own.known;
}

Known KnownCounts::global() const {
  return weakest({global_load, global_store, global_atomic, global_reduction, local_load, local_store},
                 launch);
}

Known KnownCounts::shared() const {
  return weakest({shared_load, shared_store, shared_atomic, shared_async}, launch);
}

Evidence KnownCounts::lanes_evidence() const {
  return average_lanes == Known::MachineCode ? Evidence::Modelled : counted(average_lanes);
}

Known KnownCounts::all() const {
  return weakest({global_load, global_store, global_atomic, global_reduction, local_load, local_store,
                  shared_load, shared_store, shared_atomic, shared_async, constant_load, branches},
                 launch);
}

KnownCounts known_counts(const Report& report) {
  KnownCounts out;
  out.launch = report.as_executed;
  out.average_lanes = report.execution.of_machine() ? Known::MachineCode : Known::AsWritten;
  std::uint64_t branches = 0, loads = 0, stores = 0;  // that belong to a site
  for (std::size_t i = 0; i < report.sites.size() && i < report.totals.sites.size(); ++i) {
    const Site& site = report.sites[i];
    const SiteTotals& t = report.totals.sites[i];
    if (t.executions == 0 || site.kind == SiteKind::Barrier) continue;
    if (site.kind == SiteKind::Branch) {
      add(out.branches, site.known);
      branches += site.leaves ? 0 : t.executions;
      continue;
    }
    add_access(site, t, out);
    if (site.space == Space::Local) (trace::is_store(site.kind) ? stores : loads) += t.global.requests;
  }
  // What stands in no PTX (saved registers, spills, branches of a division) is known as the launch is.
  if (report.execution.branches > branches) add(out.branches, out.launch);
  if (report.totals.local_load.requests > loads) add(out.local_load, out.launch);
  if (report.totals.local_store.requests > stores) add(out.local_store, out.launch);
  return out;
}

std::optional<Message> known_sentence(const Report& report) {
  if (report.execution.branches == 0 &&
      std::ranges::none_of(report.totals.sites, [](const SiteTotals& t) { return t.executions > 0; }))
    return {};
  const Known all = known_counts(report).all();
  // What the machine code does not tell stands as it is written.
  const bool of_machine = report.as_executed == Known::MachineCode;
  if (of_machine && all != Known::Rule) return {};
  return Message{of_machine ? "explain.known.partly" : "explain.known." + std::string(name(all)), {}};
}

}  // namespace warplens::analysis
