// Small helpers about the 32 addresses of an access, and the closed forms that regular accesses have. The
// counters of a whole launch call these on every access, so nothing here allocates.
//
//   base 0x1000, stride 8, 32 lanes of 4 bytes:  count_global_affine -> 8 sectors, 2 lines, no loop
#pragma once

#include <bit>
#include <cstdint>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/shared_banks.h"

namespace warplens::analysis {

// Whether the set lanes are consecutive (at least one).
constexpr bool is_run(LaneMask mask) {
  if (mask == 0) return false;
  const LaneMask shifted = mask >> std::countr_zero(mask);
  return (shifted & (shifted + 1)) == 0;
}

// The lanes that reach memory for an atomic that the warp combines first (R5): one, whichever it is.
constexpr LaneMask executing_lanes(ptx::AtomicForm form, LaneMask active) {
  const bool one =
      form == ptx::AtomicForm::OneLane || (form == ptx::AtomicForm::OneLaneIfFull && active == kFullMask);
  return one ? active & (~active + 1) : active;
}

// Distinct values of addresses[lane] >> shift over the lanes.
int distinct_shifted(LaneMask active, const std::uint64_t* addresses, int shift);

// Equal to count_global and count_shared for lane i at base + i * stride (i counts from the first active
// lane). They answer false, leaving `out` alone, where no closed form is known.
bool count_global_affine(trace::SiteKind kind, int bytes, LaneMask active, std::uint64_t base,
                         std::int64_t stride, GlobalCounts& out);
bool count_shared_affine(trace::SiteKind kind, int bytes, LaneMask active, std::uint64_t base,
                         std::int64_t stride, SharedCounts& out);

}  // namespace warplens::analysis
