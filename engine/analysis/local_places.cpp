#include "engine/analysis/local_places.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warplens::analysis {

CoalescingDetail explain_local(trace::SiteKind kind, int bytes, LaneMask active,
                               const std::uint64_t* offsets) {
  std::map<std::uint64_t, Sector> sectors;
  std::set<std::uint64_t> lines;
  for (int at = 0; at < bytes; at += 4) {
    std::array<std::uint64_t, kWarpSize> places{};
    for (int lane = 0; lane < kWarpSize; ++lane)
      places[static_cast<std::size_t>(lane)] =
          local_place(offsets[lane] + static_cast<std::uint64_t>(at), lane);
    const CoalescingDetail word = explain_global(kind, std::min(4, bytes - at), active, places.data());
    for (const Sector& sector : word.sectors) {
      Sector& all = sectors[sector.address];
      all.address = sector.address;
      all.lanes |= sector.lanes;
      all.used |= sector.used;
    }
    lines.insert(word.lines.begin(), word.lines.end());
  }
  CoalescingDetail out;
  out.counts = count_local(bytes, active, offsets);
  for (const auto& [address, sector] : sectors) out.sectors.push_back(sector);
  out.lines.assign(lines.begin(), lines.end());
  return out;
}

}  // namespace warplens::analysis
