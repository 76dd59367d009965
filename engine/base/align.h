// Sizes and places in memory.
#pragma once

#include <cstdint>

namespace warplens {

// The next multiple of `to` (not 0) from `value` on.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace warplens
