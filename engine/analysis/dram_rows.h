// What DRAM's rows make of the accesses to it: bytes that lie together and come together cost what they are,
// a row that is opened for few of them costs as much as a hundred or so.
//
//   DramRows rows(constants.dram_row_bytes);
//   rows.add(line, 32);        a sector of that line of 128 bytes is read, or written
//   rows.cost();               bytes that DRAM could have moved meanwhile
//
// Read on an H200 (tools/golden/parts.cu, tests/models/golden/parts_h200.txt): 32 bytes of each 256 take as
// long as some 120, 64 bytes 100 to 125, 128 bytes 145 to 175, all of them no longer than they are; in which
// order warps come to them does not matter as long as they come soon.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/analysis/l2_asks.h"

namespace warplens::analysis {

class DramRows {
 public:
  // `row`: bytes that opening one costs.
  explicit DramRows(double row) : row_(row) {}

  void add(std::uint64_t line, double bytes) {
    const std::uint64_t stretch = line / kLines;
    Open* const set = open_.data() + place_of(stretch + 1, kSetBits) * kWays;
    Open* oldest = set;
    for (Open* open = set; open != set + kWays; ++open) {
      if (open->stretch == stretch) {
        open->bytes += bytes;
        open->used = ++clock_;
        return;
      }
      if (open->used < oldest->used) oldest = open;
    }
    closed_ += cost_of(oldest->bytes);
    *oldest = {stretch, ++clock_, bytes};
  }

  double cost() const {
    double out = closed_;
    for (const Open& open : open_) out += cost_of(open.bytes);
    return out;
  }

 private:
  static constexpr std::uint64_t kLines = 2;  // of 128 bytes, that a row has of a stretch
  static constexpr int kSetBits = 11;
  static constexpr std::size_t kWays = 8;

  double cost_of(double bytes) const {
    if (bytes <= 0) return 0;
    const double b2 = bytes * bytes, r2 = row_ * row_;
    return std::sqrt(std::sqrt(b2 * b2 + r2 * r2));
  }

  struct Open {
    std::uint64_t stretch = ~std::uint64_t{0}, used = 0;
    double bytes = 0;
  };
  double row_ = 0, closed_ = 0;
  std::uint64_t clock_ = 0;
  std::vector<Open> open_ = std::vector<Open>((std::size_t{1} << kSetBits) * kWays);
};

}  // namespace warplens::analysis
