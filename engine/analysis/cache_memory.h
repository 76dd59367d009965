// The two caches that the model is made of: sectored, lines of 128 bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warplens::analysis {

// Lines beside each other lie far apart.
inline std::uint64_t mixed_line(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ x >> 29;
}

// An L1 as an H200's is (read with tools/golden/l1_lines.cu, tests/models/golden/l1_lines_h200.txt): 512 sets
// of four tags, found by a hash of the line, whose least recently used line leaves; and the data of as many
// lines as shared memory leaves room for, less 64. Where no data is free, the sets give up a line in turn: of
// those that nobody came to again the least recently used one, then of all. Stores make their place as loads
// do, and what they wrote can be read, word by word. Who reads other words of a sector that was written in
// part gets the line anew.
class LineCache {
 public:
  // `lines`: what the array holds.
  explicit LineCache(std::size_t lines);
  // Of `sectors` (a bit each) those that were there, and brings in the others. `words`: the bits of those
  // that are asked for, of the line's 32.
  std::uint32_t load(std::uint64_t line, std::uint32_t sectors, std::uint32_t words);
  void store(std::uint64_t line, std::uint32_t words);
  void forget(std::uint64_t line);
  // It will be asked for soon.
  void expect(std::uint64_t line) const {
    if (!ways_.empty()) __builtin_prefetch(ways_.data() + set_of(line) * kWays);
  }

 private:
  static constexpr std::size_t kSets = 512, kWays = 4, kKeptFree = 64;
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;     // when; 0: nothing is there
    std::uint32_t written = 0;  // words, of sectors that were not brought in
    std::uint8_t valid = 0;     // sectors
    bool again = false;         // somebody came to it once more
  };
  static std::size_t set_of(std::uint64_t line);
  Way* find(std::uint64_t line, std::size_t set);
  Way& make(std::uint64_t line, std::size_t set);
  void make_room();

  std::size_t most_ = 0;   // lines whose data there is room for
  std::size_t lines_ = 0;  // that are there
  std::size_t next_ = 0;   // set that gives up a line next
  std::uint64_t clock_ = 0;
  std::vector<Way> ways_;  // kSets x kWays
};

// Many sets of few ways, found by a hash of the line: an L2.
//
// A sector of which only words were stored is no use to who reads it, and DRAM has to bring the rest before
// it can leave. Some lines may have such sectors; where there are more, the oldest of them are completed and
// written back (read on an H200: tools/golden/parts.cu).
class SetCache {
 public:
  // `parts`: lines that may have sectors that were stored in part.
  SetCache(std::size_t lines, std::size_t ways, std::size_t parts);
  // Of a line that had to leave, or had to be completed.
  struct Left {
    std::uint64_t line = 0;
    int filled = 0, written_back = 0;  // sectors that DRAM had to bring for it, that it was given
  };
  struct Result {
    std::uint32_t hits = 0;     // bits of the sectors that were there
    std::uint32_t present = 0;  // all that the line held before
    int changed = 0;            // sectors that were not to be written back before
    bool merged = false;        // parts of sectors were stored to a line that had such already
    Left left;
  };
  // Brings `sectors` and `also` in; `change` marks the first as to be written back.
  Result touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change);
  // The same of what is stored at a cycle: of the line's 32 words these.
  Result store(std::uint64_t line, std::uint32_t sectors, std::uint32_t words, double at);
  // The oldest line with sectors that were stored in part is completed, if there are more of them than may be
  // and it has been one since before `at`.
  std::optional<Left> complete(double at);
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
    std::uint8_t part = 0;  // of the valid ones: stored in part
  };
  Result touch(std::uint64_t line, std::uint32_t sectors, std::uint32_t also, bool change,
               std::uint32_t completed);
  Way* find(std::uint64_t line);
  void leave_part(Way& way, std::uint32_t sectors);
  std::size_t first_of(std::uint64_t line) const { return mixed_line(line) % sets_ * ways_; }

  std::size_t sets_, ways_;
  std::uint32_t clock_ = 0;
  std::vector<Way> way_;
  std::size_t most_parts_;
  std::unordered_map<std::uint64_t, std::uint32_t> parts_;   // line: words that are there
  std::deque<std::pair<std::uint64_t, double>> part_lines_;  // oldest first; some are complete by now
};

}  // namespace warplens::analysis
