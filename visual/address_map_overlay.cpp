#include "visual/address_map_overlay.h"

#include <algorithm>
#include <array>
#include <bit>

#include "visual/trace_index.h"

namespace warplens::visual {
namespace {

constexpr std::ptrdiff_t kStepsLooked = 192;  // steps of the warp to each side
constexpr std::ptrdiff_t kSameTime = 64;      // steps of another warp around the same moment
constexpr std::size_t kMostWarps = 64;
constexpr std::array kGlobal{trace::Space::Global};

// Marks the bytes of one access in the sectors; tells whether it touches any.
bool mark(const trace::AccessView& access, std::span<const analysis::Sector> sectors,
          std::vector<std::uint32_t>& bytes) {
  bool any = false;
  const std::uint64_t low = sectors.front().address, high = sectors.back().address + 32;
  for (LaneMask m = access.active; m; m &= m - 1) {
    const std::uint64_t first = access.addresses[static_cast<std::size_t>(std::countr_zero(m))];
    const std::uint64_t end = first + static_cast<std::uint64_t>(std::max(access.bytes, 1));
    if (end <= low || first >= high) continue;
    for (std::uint64_t at = first; at < end;) {
      const std::uint64_t sector = at / 32 * 32, stop = std::min(end, sector + 32);
      const auto found =
          std::lower_bound(sectors.begin(), sectors.end(), sector,
                           [](const analysis::Sector& s, std::uint64_t a) { return s.address < a; });
      if (found != sectors.end() && found->address == sector) {
        const std::uint64_t below =
            (std::uint64_t{1} << (stop - sector)) - (std::uint64_t{1} << (at - sector));
        bytes[static_cast<std::size_t>(found - sectors.begin())] |= static_cast<std::uint32_t>(below);
        any = true;
      }
      at = stop;
    }
  }
  return any;
}

}  // namespace

OtherUse used_by_others(const ViewInput& input, const Picked& picked,
                        std::span<const analysis::Sector> sectors) {
  OtherUse out;
  if (sectors.empty()) return out;
  out.bytes.resize(sectors.size());
  const IndexRef index(input);
  const auto steps = index->steps_of(picked.block, picked.access.warp);
  const auto here = std::lower_bound(steps.begin(), steps.end(), picked.step);
  const auto from = here - std::min<std::ptrdiff_t>(kStepsLooked, here - steps.begin());
  const auto to = here + std::min<std::ptrdiff_t>(kStepsLooked, steps.end() - here);
  for (auto i = from; i != to; ++i)
    if (*i != picked.step && index->fits(*i, kGlobal))
      out.accesses += mark(input.trace->access(*i), sectors, out.bytes);
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    out.bytes[i] &= ~sectors[i].used;
    out.extra += static_cast<std::uint64_t>(std::popcount(out.bytes[i]));
  }
  return out;
}

std::vector<std::uint64_t> lines_of_block(const ViewInput& input, const Picked& picked) {
  std::vector<std::uint64_t> out;
  const IndexRef index(input);
  std::vector<std::uint32_t> warps = index->warps_of(picked.block);
  if (warps.size() > kMostWarps) warps.resize(kMostWarps);
  // Warps run one after another or mixed: the same place in the warp's own steps is the same moment of its
  // code.
  const auto own = index->steps_of(picked.block, picked.access.warp);
  const auto place = std::lower_bound(own.begin(), own.end(), picked.step) - own.begin();
  for (const std::uint32_t warp : warps) {
    if (warp == picked.access.warp) continue;
    const auto steps = index->steps_of(picked.block, warp);
    const auto count = static_cast<std::ptrdiff_t>(steps.size());
    for (std::ptrdiff_t away = 0; away < 2 * kSameTime; ++away) {
      const std::ptrdiff_t i = place + (away % 2 ? -(away + 1) / 2 : away / 2);
      if (i < 0 || i >= count) continue;
      const trace::Step& s = input.trace->steps()[steps[static_cast<std::size_t>(i)]];
      if (s.kind != trace::StepKind::Access || s.active == 0 || s.site != picked.access.site) continue;
      const trace::AccessView access = input.trace->access(steps[static_cast<std::size_t>(i)]);
      for (LaneMask m = access.active; m; m &= m - 1)
        out.push_back(access.addresses[static_cast<std::size_t>(std::countr_zero(m))] / 128 * 128);
      break;
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace warplens::visual
