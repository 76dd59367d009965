#include "engine/analysis/cache_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/analysis/access_log.h"

namespace warplens::analysis {
namespace {

// Bit k of a set's number is the parity of these bits of the line's: solved from lines that throw each other
// out (tools/golden/l1_lines.cu). Bits from 25 up are not known.
constexpr std::array<std::uint32_t, 9> kSetBits{0x124f601, 0x0610c02, 0x13f8804, 0x02db408, 0x192ae10,
                                                0x0b96a20, 0x091da40, 0x0dfc080, 0x12ad900};

}  // namespace

LineCache::LineCache(std::size_t lines)
    : most_(lines > kKeptFree ? lines - kKeptFree : 0), ways_(most_ == 0 ? 0 : kSets * kWays) {}

std::size_t LineCache::set_of(std::uint64_t line) {
  std::size_t out = 0;
  for (std::size_t bit = 0; bit < kSetBits.size(); ++bit)
    out |= static_cast<std::size_t>(std::popcount(line & kSetBits[bit]) & 1) << bit;
  return out;
}

LineCache::Way* LineCache::find(std::uint64_t line, std::size_t set) {
  Way* const first = ways_.data() + set * kWays;
  for (Way* way = first; way != first + kWays; ++way)
    if (way->line == line && way->used != 0) return way;
  return nullptr;
}

void LineCache::make_room() {
  Way* leaves = nullptr;
  for (; leaves == nullptr; next_ = (next_ + 1) % kSets)
    for (Way* way = ways_.data() + next_ * kWays; way != ways_.data() + (next_ + 1) * kWays; ++way)
      if (way->used != 0 &&
          (leaves == nullptr || std::pair(way->again, way->used) < std::pair(leaves->again, leaves->used)))
        leaves = way;
  *leaves = {};
  --lines_;
}

LineCache::Way& LineCache::make(std::uint64_t line, std::size_t set) {
  Way* const first = ways_.data() + set * kWays;
  Way* way =
      std::min_element(first, first + kWays, [](const Way& a, const Way& b) { return a.used < b.used; });
  if (way->used == 0) {
    if (lines_ == most_) make_room();
    ++lines_;
  }
  *way = {line, clock_, 0, 0, false};
  return *way;
}

std::uint32_t LineCache::load(std::uint64_t line, std::uint32_t sectors, std::uint32_t words) {
  if (ways_.empty()) return 0;
  const std::size_t set = set_of(line);
  ++clock_;
  Way* way = find(line, set);
  if (way == nullptr) {
    make(line, set).valid = static_cast<std::uint8_t>(sectors);
    return 0;
  }
  way->used = clock_;
  way->again = true;
  std::uint32_t hits = way->valid & sectors;
  bool in_part = false;
  for (std::uint32_t sector = 0; sector < 4; ++sector) {
    const std::uint32_t bit = 1u << sector, its = words & words_of_sectors(bit);
    if ((sectors & bit) == 0 || (hits & bit) != 0 || (way->written & words_of_sectors(bit)) == 0) continue;
    if ((its & ~way->written) == 0)
      hits |= bit;
    else
      in_part = true;
  }
  if (in_part) *way = {line, clock_, 0, 0, false};
  const std::uint32_t brought = sectors & ~hits;
  way->valid = static_cast<std::uint8_t>(way->valid | brought);
  way->written &= ~words_of_sectors(brought);
  return hits;
}

void LineCache::store(std::uint64_t line, std::uint32_t words) {
  if (ways_.empty()) return;
  const std::size_t set = set_of(line);
  ++clock_;
  Way* found = find(line, set);
  Way& way = found == nullptr ? make(line, set) : *found;
  way.used = clock_;
  way.again = found != nullptr;
  way.written |= words & ~words_of_sectors(way.valid);
}

void LineCache::forget(std::uint64_t line) {
  if (ways_.empty()) return;
  if (Way* way = find(line, set_of(line))) {
    *way = {};
    --lines_;
  }
}

SetCache::SetCache(std::size_t lines, std::size_t ways, std::size_t parts)
    : sets_(std::max<std::size_t>(1, lines / std::max<std::size_t>(1, ways))),
      ways_(lines == 0 ? 0 : std::max<std::size_t>(1, ways)),
      way_(sets_ * ways_),
      most_parts_(std::max<std::size_t>(1, parts)) {}

SetCache::Result SetCache::touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change) {
  return touch(line, sectors, also, change, sectors | also);
}

// `completed`: sectors that are whole from now on.
SetCache::Result SetCache::touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change,
                                 std::uint32_t completed) {
  Result out;
  if (ways_ == 0) {
    if (change) out.changed = std::popcount(sectors);
    return out;
  }
  Way* const set = way_.data() + first_of(line);
  Way* victim = set;
  ++clock_;
  for (Way* way = set; way != set + ways_; ++way) {
    if (way->line == line) {
      out.present = way->valid & ~std::uint32_t{way->part};
      out.hits = out.present & sectors;
      way->valid = static_cast<std::uint8_t>(way->valid | sectors | also);
      if (way->part != 0) leave_part(*way, completed);
      if (change) {
        out.changed = std::popcount(sectors & ~std::uint32_t{way->changed});
        way->changed = static_cast<std::uint8_t>(way->changed | sectors);
      }
      way->used = clock_;
      return out;
    }
    if (way->used < victim->used) victim = way;
  }
  out.left = {victim->line, std::popcount(victim->part), std::popcount(victim->changed)};
  if (victim->part != 0) parts_.erase(victim->line);
  if (change) out.changed = std::popcount(sectors);
  victim->line = line;
  victim->used = clock_;
  victim->valid = static_cast<std::uint8_t>(sectors | also);
  victim->changed = static_cast<std::uint8_t>(change ? sectors : 0u);
  victim->part = 0;
  return out;
}

SetCache::Result SetCache::store(std::uint64_t line, std::uint32_t sectors, std::uint32_t words,
                                 double at_cycle) {
  const std::uint32_t of_sectors = words_of_sectors(sectors);
  if (ways_ == 0 || (words & of_sectors) == of_sectors) return touch(line, sectors, 0, true, sectors);
  Result out = touch(line, sectors, 0, true, 0);
  const std::uint32_t open = sectors & ~out.present;
  if (open == 0) return out;
  const auto [at, fresh] = parts_.try_emplace(line, 0u);
  out.merged = !fresh;
  const std::uint32_t there = at->second |= words & words_of_sectors(open);
  std::uint32_t complete = 0;
  for (std::uint32_t sector = 0; sector < 4; ++sector)
    if ((there >> 8 * sector & 0xffu) == 0xffu) complete |= 1u << sector;
  Way& way = *find(line);
  way.part = static_cast<std::uint8_t>(way.part | open);
  if (fresh) part_lines_.emplace_back(line, at_cycle);
  leave_part(way, complete);
  return out;
}

// Of a line that is there.
SetCache::Way* SetCache::find(std::uint64_t line) {
  Way* const set = way_.data() + first_of(line);
  return std::find_if(set, set + ways_, [&](const Way& w) { return w.line == line; });
}

// What is brought in, or stored whole, is part of nothing any more.
void SetCache::leave_part(Way& way, std::uint32_t sectors) {
  way.part = static_cast<std::uint8_t>(way.part & ~sectors);
  if (way.part == 0) parts_.erase(way.line);
}

std::optional<SetCache::Left> SetCache::complete(double at) {
  // Those that became whole, or had to leave, are forgotten here even where few are left.
  while (!part_lines_.empty() && !parts_.contains(part_lines_.front().first)) part_lines_.pop_front();
  while (parts_.size() > most_parts_ && !part_lines_.empty() && part_lines_.front().second < at) {
    const std::uint64_t line = part_lines_.front().first;
    part_lines_.pop_front();
    if (parts_.erase(line) == 0) continue;
    Way& way = *find(line);
    const Left out{line, std::popcount(way.part), std::popcount(way.changed)};
    way.part = way.changed = 0;
    return out;
  }
  return {};
}

void SetCache::keep_newest(double share) {
  std::vector<std::uint32_t> used;
  for (const Way& way : way_)
    if (way.used > 0) used.push_back(way.used);
  const auto gone =
      static_cast<std::size_t>((1 - std::clamp(share, 0.0, 1.0)) * static_cast<double>(used.size()));
  if (gone == 0) return;
  std::ranges::nth_element(used, used.begin() + static_cast<std::ptrdiff_t>(gone - 1));
  const std::uint32_t last = used[gone - 1];
  for (Way& way : way_)
    if (way.used <= last) {
      if (way.part != 0) parts_.erase(way.line);
      way = {};
    }
}

}  // namespace warplens::analysis
