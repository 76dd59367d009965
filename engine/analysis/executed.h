// A stored access as the machine executes it. Traces keep accesses as the PTX has them; ptxas joins
// neighbours to one wide access, and lets one lane do an atomic for its warp (Site: leader, executed_bytes,
// atomic_form).
//
//   const Executed as = executed(trace, trace.access(step));
//   if (!as.merged_away) count_local(as.access.bytes, as.access.active, as.access.addresses.data());
#pragma once

#include "engine/trace/trace.h"

namespace warplens::analysis {

struct Executed {
  trace::AccessView access;  // bytes, lanes and addresses of the wide access
  bool merged_away = false;  // another site's access covers this one
  bool widened = false;
  bool combined = false;  // one lane does an atomic for the whole warp
};
Executed executed(const trace::Trace& trace, const trace::AccessView& access);

}  // namespace warplens::analysis
