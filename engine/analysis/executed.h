// A stored access as the machine executes it. Traces keep accesses as the PTX has them; ptxas joins
// neighbours to one wide access, and lets one lane do an atomic for its warp (Site: leader, executed_bytes,
// atomic_form).
//
// The neighbours may be the same instruction's in the next turns of a loop that ptxas unrolled:
//
//   for (k = 0; k < 8; ++k) sum += row[k] * v;      ld.shared.f32 eight times; LDS.128 with k = 0 and k = 4
//
// A wide access begins at a multiple of its width. So the turn whose address is one executes it, and the
// turns up to the next one have their words from it.
//
//   const Executed as = executed(trace, trace.access(step));
//   if (!as.merged_away) count_local(as.access.bytes, as.access.active, as.access.addresses.data());
#pragma once

#include "engine/trace/trace.h"

namespace warplens::analysis {

// Whether the turn in which a lane's address is `address` executes the load of `bytes`, which begins `offset`
// from there.
constexpr bool starts_wide_load(std::uint64_t address, int bytes, std::int64_t offset) {
  return (address + static_cast<std::uint64_t>(offset)) % static_cast<std::uint64_t>(bytes) == 0;
}

struct Executed {
  trace::AccessView access;  // bytes, lanes and addresses of the wide access
  bool merged_away = false;  // another site's or another turn's access covers this one
  bool widened = false;
  bool combined = false;  // one lane does an atomic for the whole warp
};
Executed executed(const trace::Trace& trace, const trace::AccessView& access);

// The same of an access as it happens, without copying it.
struct ExecutedShape {
  LaneMask active = 0;
  int bytes = 0;
  std::int64_t offset = 0;  // to be added to each address
  bool merged_away = false, widened = false, combined = false;
};
ExecutedShape executed_shape(const trace::Site& site, int bytes, LaneMask active,
                             const std::uint64_t* addresses);

}  // namespace warplens::analysis
