#include "engine/analysis/async_copies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace warplens::analysis {

namespace {

struct Lane {
  std::uint64_t from = 0, to = 0;
};
using Lanes = std::array<Lane, kWarpSize>;

std::span<const Lane> lanes_of(LaneMask active, const std::uint64_t* from, const std::uint64_t* to,
                               Lanes& all) {
  std::size_t count = 0;
  for (; active != 0; active &= active - 1) {
    const int lane = std::countr_zero(active);
    all[count++] = {from[lane], to[lane]};
  }
  return {all.data(), count};
}

// Those whose bytes no later lane overwrites: the others are not fetched.
std::span<const Lane> last_writers(std::span<const Lane> lanes, Lanes& all) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto later = lanes.subspan(i + 1);
    if (std::ranges::none_of(later, [&](const Lane& other) { return other.to == lanes[i].to; }))
      all[count++] = lanes[i];
  }
  return {all.data(), count};
}

template <typename Key>
std::uint64_t distinct(std::span<const Lane> lanes, Key key) {
  std::array<decltype(key(Lane{})), kWarpSize> keys;
  std::ranges::transform(lanes, keys.begin(), key);
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(lanes.size());
  std::sort(keys.begin(), end);
  return static_cast<std::uint64_t>(std::unique(keys.begin(), end) - keys.begin());
}

std::uint64_t packed(std::size_t lanes, std::uint64_t bytes, std::uint64_t unit) {
  return (lanes * bytes + unit - 1) / unit;
}

// Which of the two halves of a sector goes where: 16 bytes change sides or keep theirs.
std::uint64_t changes_half(const Lane& lane) {
  return ((lane.from ^ lane.to) >> 4) & 1;
}

CopyCounts count_past_l1(std::span<const Lane> lanes, CopyCounts out) {
  using Pair = std::array<std::uint64_t, 2>;
  using Triple = std::array<std::uint64_t, 3>;
  constexpr std::uint64_t kBytes = 16;
  out.global.lines = distinct(lanes, [](const Lane& l) { return Pair{l.from >> 7, l.to >> 7}; });
  Lanes room;
  const std::span<const Lane> kept = last_writers(lanes, room);
  out.global.sectors = distinct(kept, [](const Lane& l) { return Pair{l.from >> 7, l.to >> 5}; });
  const std::uint64_t moved = distinct(kept, [](const Lane& l) {
    return Triple{l.from >> 5, l.to >> 5, changes_half(l)};
  });
  out.global.sectors_ideal = std::min(moved, packed(kept.size(), kBytes, 32));
  // A pass moves chunks of one line to one row that all change places the same way.
  out.shared.wavefronts = distinct(kept, [](const Lane& l) {
    return Triple{l.from >> 7, l.to >> 7, ((l.from ^ l.to) >> 4) & 7};
  });
  out.shared.wavefronts_ideal = std::min(out.shared.wavefronts, packed(kept.size(), kBytes, 128));
  out.shared.bank_conflicts = 0;
  return out;
}

// Lanes on one bank are served one by one, on the side of the L1 cache as in shared memory.
std::uint64_t passes_of(std::span<const Lane> lanes, int bytes) {
  const auto most = [&](std::uint64_t Lane::*side) {
    std::array<std::uint64_t, 32> in_bank{};
    for (const Lane& lane : lanes)
      for (std::uint64_t word = lane.*side >> 2;
           word <= (lane.*side + static_cast<std::uint64_t>(bytes) - 1) >> 2; ++word)
        ++in_bank[word & 31u];
    return *std::ranges::max_element(in_bank);
  };
  return std::max(most(&Lane::from), most(&Lane::to));
}

}  // namespace

CopyCounts count_copy(bool past_l1, int bytes, LaneMask active, const std::uint64_t* from,
                      const std::uint64_t* to) {
  CopyCounts out;
  if (active == 0 || bytes <= 0) return out;
  out.global = count_global(trace::SiteKind::AsyncCopy, bytes, active, from);
  out.shared.requests = 1;
  Lanes all;
  if (past_l1) return count_past_l1(lanes_of(active, from, to, all), out);
  const int width = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  const LaneMask first = width == 32 ? kFullMask : (LaneMask{1} << width) - 1;
  std::uint64_t phases = 0;
  for (int lane = 0; lane < kWarpSize; lane += width) {
    const LaneMask together = active & (first << lane);
    if (together == 0) continue;
    ++phases;
    out.shared.wavefronts += passes_of(lanes_of(together, from, to, all), bytes);
  }
  const auto lanes = static_cast<std::size_t>(active_lanes(active));
  out.shared.wavefronts_ideal =
      std::min(out.shared.wavefronts, packed(lanes, static_cast<std::uint64_t>(bytes), 128));
  out.shared.bank_conflicts = out.shared.wavefronts - phases;
  return out;
}

}  // namespace warplens::analysis
