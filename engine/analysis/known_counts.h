// How the numbers of a report are known, one by one: a number is known as well as the least known of the
// accesses and branches that it counts.
//
//   a pair of loads that a rule joins, and a store  ->  shared_load: Rule, shared_store: AsWritten
#pragma once

#include <optional>

#include "engine/analysis/report.h"
#include "engine/base/evidence.h"

namespace warplens::analysis {

struct KnownCounts {
  using Part = std::optional<Known>;  // unset: nothing was counted
  Part global_load, global_store, global_atomic, global_reduction;
  Part shared_load, shared_store, shared_atomic, shared_async;
  Part local_load, local_store;
  Part constant_load;
  Part branches;
  Known average_lanes = Known::AsWritten;  // over the machine's instructions, or over those of the PTX
  Known launch = Known::Rule;              // Report::as_executed

  // A part by itself; one that counts nothing is known as the launch is.
  Known of(const Part& part) const { return part.value_or(launch); }
  Known global() const;  // with local memory
  Known shared() const;  // with what cp.async writes
  // Over the machine's instructions it is weighted by a model of how often its blocks run.
  Evidence lanes_evidence() const;
  Known all() const;  // every access and branch
};

KnownCounts known_counts(const Report& report);

// Of a site that goes with another: with that of its leader, which is counted for it.
Known known_of(const std::vector<trace::Site>& sites, trace::SiteId site);

// What the numbers of a run rest on, in words; nothing where the machine code says all of it.
std::optional<Message> known_sentence(const Report& report);

}  // namespace warplens::analysis
