// Small helpers about the 32 addresses of an access, and the closed forms that regular accesses have. The
// counters of a whole launch call these on every access, so nothing here allocates.
//
//   base 0x1000, stride 8, 32 lanes of 4 bytes:  count_global_affine -> 8 sectors, 2 lines, no loop
#pragma once

#include <array>
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

// How the memory system takes a global atomic or reduction (R1, R2, R4 of the H200 measurements, and the rows
// they left open; all 122 measured patterns agree). Lines wait at four tag banks. In each pass a bank takes
// the line of its lowest waiting lane, and of that line the lanes that hold their word's slot: each of the 32
// words of a line is one slot a bank, held by the lowest waiting lane that wants it, whatever its line. So
// lanes on one address go one by one, and now and then a lane loses its slot to a lane of another line and
// its own line must be visited again. A compare-and-swap takes half lines.
struct AtomicVisits {
  std::uint64_t sectors = 0, lines = 0;
  int wavefronts = 0;  // passes of the slowest bank
  bool operator==(const AtomicVisits&) const = default;
};
AtomicVisits visit_atomics(trace::SiteKind kind, int bytes, LaneMask active, const std::uint64_t* addresses);

// The tag bank of a 128-byte line (G7), from the line's number inside 2 MiB.
int tag_bank(std::uint64_t line);

// Distinct values of addresses[lane] >> shift over the lanes.
int distinct_shifted(LaneMask active, const std::uint64_t* addresses, int shift);

// Values of up to 32 lanes, for counting the different ones without sorting: every value is compared with all
// before it, in loops whose length and memory traffic do not depend on the values, so that the compiler makes
// vector code of them and random accesses cost the branch predictor nothing.
struct LaneValues {
  static constexpr std::uint32_t kAbsent = 0xffffffffu;
  std::array<std::uint32_t, 2 * kWarpSize> at;  // the upper half; the lower stays absent
  LaneValues() { at.fill(kAbsent); }
  void set(int i, std::uint32_t value) {
    at[static_cast<std::size_t>(kWarpSize + i)] = value;
  }  // not kAbsent
  std::uint32_t get(int i) const { return at[static_cast<std::size_t>(kWarpSize + i)]; }
};
// Bit i: value i is present and differs from all before it, looking only at bits from `shift` up.
LaneMask first_occurrences(const LaneValues& values, int shift);

// Equal to count_global and count_shared for lane i at base + i * stride (i counts from the first active
// lane). They answer false, leaving `out` alone, where no closed form is known.
bool count_global_affine(trace::SiteKind kind, int bytes, LaneMask active, std::uint64_t base,
                         std::int64_t stride, GlobalCounts& out);
bool count_shared_affine(trace::SiteKind kind, int bytes, LaneMask active, std::uint64_t base,
                         std::int64_t stride, SharedCounts& out);

}  // namespace warplens::analysis
