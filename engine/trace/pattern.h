// Addresses without a stride, packed: the active lanes' distances from the lowest address, in units of the
// largest power of two that divides them all, each in as many bits as the largest needs. A gather at random
// from a million floats takes 20 bits a lane.
//
//   word 0   bits of a distance (7), the power of two (6), the same of the shared addresses (7, 6), bit 31: a
//            copy
//   word 1   lower half of the lowest address
//   word 2   lowest shared address, of a copy only
//   then     the distances
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/lanes.h"

namespace warplens::trace {

class Pattern {
 public:
  // `shared`: where an asynchronous copy writes, else null.
  Pattern(LaneMask active, const std::uint64_t* addresses, const std::uint64_t* shared);
  std::span<const std::uint32_t> words() const { return {words_.data(), count_}; }
  std::uint64_t lowest() const { return lowest_; }

 private:
  std::array<std::uint32_t, 3 + 4 * kWarpSize> words_;
  std::size_t count_ = 0;
  std::uint64_t lowest_ = 0;
};

bool is_copy(std::uint32_t head);
// Words of a pattern whose first is `head`, with all lists and lowest addresses; 0 when no pattern has this
// head.
std::size_t pattern_words(std::uint32_t head, int lanes);
// Where its distances begin: what two patterns must have in common from here on, and the head, to be the
// same.
std::size_t distances_at(std::uint32_t head);

// Puts the addresses back, given the lowest ones.
void unpack(std::span<const std::uint32_t> pattern, LaneMask active, std::uint64_t lowest,
            std::uint64_t lowest_shared, std::uint64_t* addresses, std::uint64_t* shared);

}  // namespace warplens::trace
