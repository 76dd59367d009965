#include "engine/analysis/patterns.h"

#include <array>
#include <cstring>

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

namespace {

// Four lanes at once: vectors of 16 bytes are what every processor has, and what was seen stays in one
// register.
using Four = std::uint32_t __attribute__((vector_size(16)));

Four four_from(const std::uint32_t* at) {
  Four out;
  std::memcpy(&out, at, sizeof out);
  return out;
}

}  // namespace

LaneMask first_occurrences(const LaneValues& values, int shift) {
  std::array<std::uint32_t, 2 * kWarpSize> v;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = values.at[i] >> shift;
  LaneMask firsts = 0;
  for (std::size_t lane = 0; lane < kWarpSize; lane += 4) {
    const std::uint32_t* const own = v.data() + kWarpSize + lane;
    const Four these = four_from(own);
    Four seen{};  // all ones where an equal value came before
    // The last step is below all lanes, where an absent value is met.
    for (std::size_t back = 1; back <= lane + 4; ++back)
      seen |= reinterpret_cast<Four>(these == four_from(own - back));
    const Four bits = ~seen & Four{1, 2, 4, 8};
    firsts |= (bits[0] | bits[1] | bits[2] | bits[3]) << lane;
  }
  return firsts;
}

}  // namespace warplens::analysis
