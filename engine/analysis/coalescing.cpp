#include "engine/analysis/coalescing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/analysis/patterns.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

constexpr std::uint64_t kSectorBytes = 32, kLineBytes = 128;

// R2: a compare-and-swap looks up the two 64-byte halves of a line separately.
int tag_shift(SiteKind kind) {
  return kind == SiteKind::CompareAndSwap ? 6 : 7;
}

std::uint64_t ideal_sectors(std::uint64_t sectors, std::uint64_t lanes, int bytes) {
  return std::min(sectors, (lanes * static_cast<std::uint64_t>(bytes) + kSectorBytes - 1) / kSectorBytes);
}

// Active lanes' addresses, packed in lane order, and sorted on demand.
struct Addresses {
  std::array<std::uint64_t, kWarpSize> at;
  int count = 0;
  bool ascending = true;  // in lane order

  Addresses(LaneMask active, const std::uint64_t* addresses) {
    for (LaneMask left = active; left != 0; left &= left - 1)
      at[static_cast<std::size_t>(count++)] = addresses[std::countr_zero(left)];
    int ascents = 0, descents = 0;
    for (int i = 1; i < count; ++i) {
      ascents += at[i - 1] <= at[i] ? 1 : 0;
      descents += at[i - 1] >= at[i] ? 1 : 0;
    }
    ascending = ascents == count - 1;
    if (ascending || descents != count - 1) return;
    std::reverse(at.begin(), at.begin() + count);
    ascending = true;
  }
  // 32 values at most: insertion beats anything with set-up cost.
  void sort() {
    if (std::exchange(ascending, true)) return;
    for (int i = 1; i < count; ++i) {
      const std::uint64_t value = at[i];
      int j = i;
      for (; j > 0 && at[j - 1] > value; --j) at[j] = at[j - 1];
      at[j] = value;
    }
  }
};

// Counts distinct aligned units (2^shift bytes) that ascending intervals touch. An interval may straddle a
// boundary only when its address is not naturally aligned.
class UnitCounter {
 public:
  explicit UnitCounter(int shift) : shift_(shift) {}
  void add(std::uint64_t first_byte, std::uint64_t last_byte) {
    std::uint64_t first = first_byte >> shift_;
    const std::uint64_t last = last_byte >> shift_;
    if (any_ && first <= last_) first = last_ + 1;
    if (!any_ || last > last_) {
      units_ += last - first + 1;
      last_ = last;
      any_ = true;
    }
  }
  std::uint64_t units() const { return units_; }

 private:
  int shift_;
  bool any_ = false;
  std::uint64_t last_ = 0, units_ = 0;
};

// For naturally aligned accesses, which are equal or apart and never straddle: plain counting of changes.
void count_aligned(const Addresses& sorted, std::uint64_t width, int line_shift, GlobalCounts& out) {
  std::uint64_t sectors = 1, lines = 1, distinct = 1;
  for (int i = 1; i < sorted.count; ++i) {
    const std::uint64_t difference = sorted.at[i] ^ sorted.at[i - 1];
    sectors += difference >> 5 != 0 ? 1 : 0;
    lines += difference >> line_shift != 0 ? 1 : 0;
    distinct += difference != 0 ? 1 : 0;
  }
  out.sectors = sectors;
  out.lines = lines;
  out.bytes_unique = distinct * width;
}

void count_unaligned(const Addresses& sorted, std::uint64_t width, int line_shift, GlobalCounts& out) {
  UnitCounter sectors(5), lines(line_shift);
  std::uint64_t end = 0;
  for (int i = 0; i < sorted.count; ++i) {
    const std::uint64_t first = sorted.at[i], last = first + width - 1;
    sectors.add(first, last);
    lines.add(first, last);
    out.bytes_unique += i == 0 || first >= end ? width : last + 1 - end;
    end = last + 1;
  }
  out.sectors = sectors.units();
  out.lines = lines.units();
}

// The same in any order. False when the addresses are too far apart for 32-bit distances.
bool count_unsorted(const Addresses& addresses, std::uint64_t width, int line_shift, GlobalCounts& out) {
  const auto begin = addresses.at.begin(), end = begin + addresses.count;
  const std::uint64_t lowest = *std::min_element(begin, end) & ~(kLineBytes - 1);
  LaneValues distances;
  std::uint64_t farthest = 0;
  for (int i = 0; i < addresses.count; ++i) {
    const std::uint64_t distance = addresses.at[i] - lowest;
    farthest |= distance;
    distances.set(i, static_cast<std::uint32_t>(distance));
  }
  if (farthest >> 31 != 0) return false;
  const auto different = [&](int shift) {
    return static_cast<std::uint64_t>(std::popcount(first_occurrences(distances, shift)));
  };
  out.lines = out.sectors = out.bytes_unique = different(line_shift);
  // In a gather most often every lane has a line of its own, and nothing else is to be counted.
  if (out.lines != static_cast<std::uint64_t>(addresses.count)) {
    out.sectors = different(5);
    out.bytes_unique = different(0);
  }
  out.bytes_unique *= width;
  return true;
}

GlobalCounts count_plain(Addresses& addresses, int bytes, int line_shift) {
  const auto width = static_cast<std::uint64_t>(bytes);
  std::uint64_t all = width;
  for (int i = 0; i < addresses.count; ++i) all |= addresses.at[i];
  const bool aligned = (width & (width - 1)) == 0 && width <= kSectorBytes && (all & (width - 1)) == 0;
  GlobalCounts out;
  out.requests = 1;
  out.bytes_requested = static_cast<std::uint64_t>(addresses.count) * width;
  const bool counted = aligned && !addresses.ascending && count_unsorted(addresses, width, line_shift, out);
  if (!counted) {
    addresses.sort();
    (aligned ? count_aligned : count_unaligned)(addresses, width, line_shift, out);
  }
  out.sectors_ideal = ideal_sectors(out.sectors, static_cast<std::uint64_t>(addresses.count), bytes);
  return out;
}

}  // namespace

GlobalCounts& GlobalCounts::operator+=(const GlobalCounts& other) {
  requests += other.requests;
  sectors += other.sectors;
  sectors_ideal += other.sectors_ideal;
  lines += other.lines;
  bytes_requested += other.bytes_requested;
  bytes_unique += other.bytes_unique;
  return *this;
}

ConstantCounts& ConstantCounts::operator+=(const ConstantCounts& other) {
  requests += other.requests;
  addresses += other.addresses;
  return *this;
}

ConstantCounts count_constant(int bytes, LaneMask active, const std::uint64_t* addresses) {
  if (active == 0 || bytes <= 0) return {};
  const auto loads = static_cast<std::uint64_t>(trace::constant_loads(bytes));
  return {loads, loads * static_cast<std::uint64_t>(distinct_addresses(active, addresses))};
}

GlobalCounts count_global(SiteKind kind, int bytes, LaneMask active, const std::uint64_t* addresses) {
  if (active == 0 || bytes <= 0) return {};
  Addresses lanes(active, addresses);
  const bool ordered = lanes.ascending;
  GlobalCounts out = count_plain(lanes, bytes, tag_shift(kind));
  // R3: the ideal ignores how many lanes share an address or lose a slot, the visits do not. Lanes in the
  // order of their addresses, each on its own, are never in each other's way.
  if (is_atomic(kind) && !(ordered && out.bytes_unique == out.bytes_requested)) {
    const AtomicVisits visits = visit_atomics(kind, bytes, active, addresses);
    out.sectors = visits.sectors;
    out.lines = visits.lines;
  }
  return out;
}

bool count_global_affine(SiteKind kind, int bytes, LaneMask active, std::uint64_t base, std::int64_t stride,
                         GlobalCounts& out) {
  const auto lanes = static_cast<std::uint64_t>(active_lanes(active));
  const auto width = static_cast<std::uint64_t>(bytes);
  const bool power_of_two = bytes > 0 && std::has_single_bit(static_cast<unsigned>(bytes)) && bytes <= 32;
  if (!is_run(active) || !power_of_two) return false;
  const std::uint64_t step =
      stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride) : static_cast<std::uint64_t>(stride);
  // Natural alignment of every lane; otherwise accesses may straddle sectors or overlap in part.
  if (((base | step) & (width - 1)) != 0) return false;
  if (step == 0 && is_atomic(kind) && lanes > 1) return false;
  const std::uint64_t span = step * (lanes - 1);
  const std::uint64_t first = stride < 0 ? base - span : base;
  const std::uint64_t last = first + span + width - 1;
  const int line_shift = tag_shift(kind);
  const auto units = [&](int shift) {
    // Steps within a unit's size skip none on the way; longer ones meet a new unit each.
    return step > (std::uint64_t{1} << shift) ? lanes : (last >> shift) - (first >> shift) + 1;
  };
  out.requests = 1;
  out.sectors = units(5);
  out.lines = units(line_shift);
  out.bytes_requested = lanes * width;
  out.bytes_unique = step == 0 ? width : out.bytes_requested;
  out.sectors_ideal = ideal_sectors(out.sectors, lanes, bytes);
  return true;
}

GlobalCounts count_local(int bytes, LaneMask active, const std::uint64_t* offsets) {
  GlobalCounts out;
  if (active == 0 || bytes <= 0) return out;
  const auto words = static_cast<std::uint64_t>(std::max(1, bytes / 4));
  const auto lanes = static_cast<std::uint64_t>(active_lanes(active));
  std::uint64_t sectors = 0;
  // A word of the thread is a line of the warp, and eight lanes share a sector of it. The further words of a
  // wide access repeat the pattern one line on.
  for (int group = 0; group < 4; ++group) {
    const LaneMask members = active & (0xffu << (8 * group));
    sectors += static_cast<std::uint64_t>(distinct_shifted(members, offsets, 2));
  }
  out.requests = words;
  out.sectors = words * sectors;
  out.lines = words * static_cast<std::uint64_t>(distinct_shifted(active, offsets, 2));
  out.bytes_requested = out.bytes_unique = lanes * static_cast<std::uint64_t>(bytes);
  out.sectors_ideal = ideal_sectors(out.sectors, lanes, bytes);
  return out;
}

int tag_wavefronts(int bytes, LaneMask active, const std::uint64_t* addresses) {
  if (active == 0) return 0;
  Addresses sorted(active, addresses);
  sorted.sort();
  std::array<int, 4> in_bank{};
  std::uint64_t previous = ~std::uint64_t{0};
  for (int i = 0; i < sorted.count; ++i) {
    const std::uint64_t last = (sorted.at[i] + static_cast<std::uint64_t>(std::max(bytes, 1)) - 1) >> 7;
    for (std::uint64_t line = sorted.at[i] >> 7; line <= last; ++line) {
      if (line == previous) continue;
      previous = line;
      ++in_bank[static_cast<std::size_t>(tag_bank(line))];
    }
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

int distinct_addresses(LaneMask active, const std::uint64_t* addresses) {
  return distinct_shifted(active, addresses, 0);
}

CoalescingDetail explain_global(SiteKind kind, int bytes, LaneMask active, const std::uint64_t* addresses) {
  CoalescingDetail out;
  out.counts = count_global(kind, bytes, active, addresses);
  for (LaneMask left = active; left != 0 && bytes > 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (int byte = 0; byte < bytes; ++byte) {
      const std::uint64_t address = addresses[lane] + static_cast<std::uint64_t>(byte);
      const std::uint64_t start = address / kSectorBytes * kSectorBytes;
      auto sector = std::lower_bound(out.sectors.begin(), out.sectors.end(), start,
                                     [](const Sector& s, std::uint64_t a) { return s.address < a; });
      if (sector == out.sectors.end() || sector->address != start)
        sector = out.sectors.insert(sector, Sector{start, 0, 0});
      sector->lanes |= LaneMask{1} << lane;
      sector->used |= 1u << (address - start);
    }
  }
  for (const Sector& sector : out.sectors) {
    const std::uint64_t line = sector.address / kLineBytes * kLineBytes;
    if (out.lines.empty() || out.lines.back() != line) out.lines.push_back(line);
  }
  return out;
}

}  // namespace warplens::analysis
