#include "engine/analysis/cache_memory.h"

#include <algorithm>

namespace warplens::analysis {
LineCache::LineCache(std::size_t lines, std::size_t sets)
    : ways_(lines / std::max<std::size_t>(1, sets)),
      sets_(std::max<std::size_t>(1, sets)),
      nodes_(ways_ * sets_),
      used_(sets_),
      newest_(sets_, kNone),
      oldest_(sets_, kNone),
      table_(std::bit_ceil(std::max<std::size_t>(8, 2 * nodes_.size()))) {}

std::size_t LineCache::slot_of(std::uint64_t line) const {
  const std::uint64_t hash = mixed_line(line);
  const auto part = static_cast<std::uint32_t>(hash);
  std::size_t at = home_of(hash);
  for (; table_[at].node != kNone; at = home_of(at + 1))
    if (table_[at].hash == part && nodes_[table_[at].node].line == line) break;
  return at;
}

void LineCache::unlink(std::uint32_t node, std::size_t set) {
  const Node& n = nodes_[node];
  (n.newer == kNone ? newest_[set] : nodes_[n.newer].older) = n.older;
  (n.older == kNone ? oldest_[set] : nodes_[n.older].newer) = n.newer;
}

void LineCache::push(std::uint32_t node, std::size_t set) {
  nodes_[node].newer = kNone;
  nodes_[node].older = newest_[set];
  (newest_[set] == kNone ? oldest_[set] : nodes_[newest_[set]].newer) = node;
  newest_[set] = node;
}

// Closes the gap in the chain of slots behind the removed one.
void LineCache::forget(std::uint32_t node) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = home_of(mixed_line(nodes_[node].line));
  while (table_[hole].node != node) hole = (hole + 1) & mask;
  for (std::size_t at = (hole + 1) & mask; table_[at].node != kNone; at = (at + 1) & mask) {
    const std::size_t home = home_of(table_[at].hash);
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    table_[hole] = table_[at];
    hole = at;
  }
  table_[hole] = {};
}

// Not simply the lowest bits: a column of a matrix would fall into one set.
std::size_t LineCache::set_of(std::uint64_t line) const {
  return (line ^ line >> 2 ^ line >> 4 ^ line >> 6 ^ line >> 8 ^ line >> 10) % sets_;
}

std::uint32_t LineCache::touch(std::uint64_t line, std::uint32_t sectors) {
  if (ways_ == 0) return 0;
  const std::size_t set = set_of(line);
  std::size_t slot = slot_of(line);
  if (table_[slot].node != kNone) {
    const std::uint32_t node = table_[slot].node;
    if (newest_[set] != node) {
      unlink(node, set);
      push(node, set);
    }
    const std::uint32_t hits = nodes_[node].valid & sectors;
    nodes_[node].valid |= sectors;
    return hits;
  }
  std::uint32_t node = 0;
  if (used_[set] < ways_) {
    node = static_cast<std::uint32_t>(set * ways_ + used_[set]++);
  } else {
    node = oldest_[set];
    forget(node);
    unlink(node, set);
    slot = slot_of(line);
  }
  nodes_[node].line = line;
  nodes_[node].valid = sectors;
  table_[slot] = {node, static_cast<std::uint32_t>(mixed_line(line))};
  push(node, set);
  return 0;
}

std::uint32_t LineCache::holds(std::uint64_t line) const {
  if (ways_ == 0) return 0;
  const Slot& slot = table_[slot_of(line)];
  return slot.node == kNone ? 0 : nodes_[slot.node].valid;
}

SetCache::SetCache(std::size_t lines, std::size_t ways)
    : sets_(std::max<std::size_t>(1, lines / std::max<std::size_t>(1, ways))),
      ways_(lines == 0 ? 0 : std::max<std::size_t>(1, ways)),
      way_(sets_ * ways_) {}

SetCache::Result SetCache::touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change) {
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
      out.present = way->valid;
      out.hits = way->valid & sectors;
      way->valid = static_cast<std::uint8_t>(way->valid | sectors | also);
      if (change) {
        out.changed = std::popcount(sectors & ~std::uint32_t{way->changed});
        way->changed = static_cast<std::uint8_t>(way->changed | sectors);
      }
      way->used = clock_;
      return out;
    }
    if (way->used < victim->used) victim = way;
  }
  out.written_back = std::popcount(victim->changed);
  if (change) out.changed = std::popcount(sectors);
  victim->line = line;
  victim->used = clock_;
  victim->valid = static_cast<std::uint8_t>(sectors | also);
  victim->changed = static_cast<std::uint8_t>(change ? sectors : 0u);
  return out;
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
    if (way.used <= last) way = {};
}

}  // namespace warplens::analysis
