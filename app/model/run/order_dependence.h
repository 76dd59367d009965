// What of a launch may depend on the order of its warps or on time, by evidence: which registers hold the
// result of an atomic, a word that others change meanwhile, an answer to "is it done yet?" or a clock, where
// those values go, and which addresses, branches and buffers they decide.
//
//   slot = atomicAdd(&count, 1);  out[slot] = x;      source: the atomicAdd; sites: the store; buffers: out
//   atomicAdd(&bins[key], 1);                         nothing: the sum is the same in any order
//   atomicAdd(&sum, 0.5f);                            buffers: sum, whose rounding depends on the order
//   while (*(volatile int*)flag == 0) {}  use(x);     source: the load; sites: the loop; use(x) is compared
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/trace/trace.h"

namespace warplens::model {

struct OrderDependence {
  struct Source {
    trace::SiteId site = 0;  // kNoSite: no access (a clock, which lanes run together)
    int line = 0;
    std::string why;  // one sentence
  };
  std::vector<Source> sources;      // empty: nothing depends on the order
  std::vector<bool> sites;          // index = site: its addresses, lanes or way may depend
  std::set<std::uint32_t> buffers;  // arguments whose contents may
  bool covers(trace::SiteId site) const { return site < sites.size() && sites[site]; }
};

// `trace` holds the accesses of the launch, all blocks of it: only they tell which words are shared.
OrderDependence order_dependence(const ptx::Module& module, const trace::Trace& trace);

}  // namespace warplens::model
