// What L2 is being asked for while the cache model runs: who asks for the same at the same time, and what
// DRAM still brings. Tables of fixed size: what comes to a place that is taken replaces it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::analysis {

// Where a table of so many bits keeps what belongs to a key: what comes to the same place takes it.
inline std::size_t place_of(std::uint64_t key, int bits) {
  return key * 0x9e3779b97f4a7c15u >> (64 - bits);
}

// Sectors that a group of SMs asked L2 for in this turn.
class SameTurn {
 public:
  // Those of `sectors` that nobody of the group asked for yet.
  std::uint32_t fresh(std::uint64_t line, std::uint32_t group, std::uint64_t turn, std::uint32_t sectors) {
    Entry& entry = entries_[place_of(line * 64 + group % 64, kBits)];
    if (entry.line != line || entry.group != group || entry.turn != turn) entry = {line, turn, group, 0};
    const std::uint32_t out = sectors & ~entry.asked;
    entry.asked |= sectors;
    return out;
  }

 private:
  static constexpr int kBits = 14;
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0}, turn = 0;
    std::uint32_t group = 0, asked = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
};

// What SMs of a group have asked L2 for, an ask a line: whoever asks for exactly the same sectors until the
// answer is there gets it together with the first. Who asks for others of them is not remembered, and ends
// what was (tools/golden/together.cu, lines.cu).
class Joined {
 public:
  struct Ask {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t sectors = 0, group = 0;
    int askers = 0;
    double from = 0, until = 0;
    bool is_open(std::uint64_t its_line, std::uint32_t its_group, double at) const {
      return line == its_line && group == its_group && std::fabs(at - from) < until - from;
    }
  };
  Ask& of(std::uint64_t line, std::uint32_t group) {
    return entries_[place_of(line * 16 + group % 16, kBits)];
  }

 private:
  static constexpr int kBits = 16;
  std::vector<Ask> entries_ = std::vector<Ask>(std::size_t{1} << kBits);
};

// Lines that DRAM was asked for: who asks until they are there waits for them as well.
class OnTheWay {
 public:
  // Of 2^bits places, each for one line at a time.
  explicit OnTheWay(int bits = 14) : bits_(bits), entries_(std::size_t{1} << bits) {}
  void begin(std::uint64_t line, double until) { entry(line) = {line, until}; }
  // The cycle in which DRAM will have brought it, 0 if it was not asked.
  double until(std::uint64_t line) {
    const Entry& known = entry(line);
    return known.line == line ? known.until : 0;
  }

 private:
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0};
    double until = 0;
  };
  Entry& entry(std::uint64_t line) { return entries_[place_of(line, bits_)]; }
  int bits_;
  std::vector<Entry> entries_;
};

}  // namespace warplens::analysis
