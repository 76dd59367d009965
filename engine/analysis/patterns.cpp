#include "engine/analysis/patterns.h"

#include <array>

namespace warplens::analysis {

int distinct_shifted(LaneMask active, const std::uint64_t* addresses, int shift) {
  if (active == 0) return 0;
  // Values near each other are marked in a bit set; the rest are kept in a list. Both are exact.
  std::array<std::uint64_t, 32> far;
  int far_count = 0;
  std::uint64_t near = 0;
  const std::uint64_t origin = (addresses[std::countr_zero(active)] >> shift) - 32;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t value = addresses[std::countr_zero(left)] >> shift;
    const std::uint64_t distance = value - origin;  // wraps for smaller values, which is then "far"
    if (distance < 64) {
      near |= std::uint64_t{1} << distance;
      continue;
    }
    bool known = false;
    for (int i = 0; i < far_count; ++i) known = known || far[static_cast<std::size_t>(i)] == value;
    if (!known) far[static_cast<std::size_t>(far_count++)] = value;
  }
  return std::popcount(near) + far_count;
}

LaneMask first_occurrences(const LaneValues& values, int shift) {
  std::array<std::uint32_t, 2 * kWarpSize> v;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = values.at[i] >> shift;
  std::array<std::uint32_t, kWarpSize> seen{};  // all ones where an equal value came before
  for (std::size_t back = 1; back <= kWarpSize; ++back)
    for (std::size_t i = 0; i < kWarpSize; ++i)
      seen[i] |= v[kWarpSize + i] == v[kWarpSize + i - back] ? ~std::uint32_t{0} : std::uint32_t{0};
  LaneMask firsts = 0;
  for (std::size_t i = 0; i < kWarpSize; ++i) firsts |= (~seen[i] & 1u) << i;
  return firsts;
}

}  // namespace warplens::analysis
