// The two caches that the model is made of: sectored, lines of 128 bytes, the least recently used one leaves.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::analysis {

// Lines beside each other lie far apart.
inline std::uint64_t mixed_line(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ x >> 29;
}

// Few sets of many ways, found through a hash table: an L1, or the last lines that an SM wrote.
class LineCache {
 public:
  LineCache(std::size_t lines, std::size_t sets);
  // Which of `sectors` (a bit each) were there. Brings in the others.
  std::uint32_t touch(std::uint64_t line, std::uint32_t sectors);
  std::uint32_t holds(std::uint64_t line) const;
  // It will be asked for soon.
  void expect(std::uint64_t line) const { __builtin_prefetch(&table_[home_of(mixed_line(line))]); }

 private:
  struct Node {
    std::uint64_t line = 0;
    std::uint32_t valid = 0, newer = 0, older = 0;
  };
  static constexpr std::uint32_t kNone = 0xffffffffu;
  // With a part of the line's hash, so that a node is looked at for its own line only.
  struct Slot {
    std::uint32_t node = kNone;  // kNone: free
    std::uint32_t hash = 0;
  };
  std::size_t home_of(std::uint64_t hash) const { return hash & (table_.size() - 1); }
  std::size_t slot_of(std::uint64_t line) const;
  std::size_t set_of(std::uint64_t line) const;
  void unlink(std::uint32_t node, std::size_t set);
  void push(std::uint32_t node, std::size_t set);
  void forget(std::uint32_t node);

  std::size_t ways_, sets_;
  std::vector<Node> nodes_;          // sets_ x ways_
  std::vector<std::uint32_t> used_;  // nodes in use, by set
  std::vector<std::uint32_t> newest_, oldest_;
  std::vector<Slot> table_;
};

// Many sets of few ways, found by a hash of the line: an L2.
class SetCache {
 public:
  SetCache(std::size_t lines, std::size_t ways);
  struct Result {
    std::uint32_t hits = 0;     // bits of the sectors that were there
    std::uint32_t present = 0;  // all that the line held before
    int written_back = 0;       // sectors that another line had to give to DRAM
    int changed = 0;            // sectors that were not to be written back before
  };
  // Brings `sectors` and `also` in; `change` marks the first as to be written back.
  Result touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change);
  // Leaves this share (0 to 1) of the lines that it holds: those that were used last.
  void keep_newest(double share);
  // It will be asked for soon.
  void expect(std::uint64_t line) const {
    const Way* const set = way_.data() + first_of(line);
    for (std::size_t i = 0; i < ways_; i += 64 / sizeof(Way)) __builtin_prefetch(set + i);
  }

 private:
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t used = 0;
    std::uint8_t valid = 0, changed = 0;
  };
  std::size_t first_of(std::uint64_t line) const { return mixed_line(line) % sets_ * ways_; }

  std::size_t sets_, ways_;
  std::uint32_t clock_ = 0;
  std::vector<Way> way_;
};

}  // namespace warplens::analysis
