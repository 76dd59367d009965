// Warps and lanes: the few numbers every part shares.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace warplens {

inline constexpr int kWarpSize = 32;

// Bit i is lane i.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kFullMask = 0xffffffffu;

// Groups of eight lanes (0-7, 8-15, ...) with an active one: where each lane has a word of its own in a line,
// so many sectors.
constexpr std::uint64_t eights_of(LaneMask mask) {
  std::uint64_t count = 0;
  for (; mask != 0; mask >>= 8) count += (mask & 0xffu) != 0 ? 1 : 0;
  return count;
}

constexpr int active_lanes(LaneMask mask) {
  return std::popcount(mask);
}

// CUDA's dim3: extents of a grid or block, or an index inside one.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

// "(3,0,0)"
inline std::string index_text(Dim3 i) {
  return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

// Index of the n-th element, x fastest, as CUDA numbers threads and blocks.
constexpr Dim3 unflatten(std::uint64_t n, Dim3 extent) {
  return {static_cast<std::uint32_t>(n % extent.x), static_cast<std::uint32_t>(n / extent.x % extent.y),
          static_cast<std::uint32_t>(n / extent.x / extent.y)};
}
constexpr std::uint64_t flatten(Dim3 index, Dim3 extent) {
  return index.x + std::uint64_t{extent.x} * (index.y + std::uint64_t{extent.y} * index.z);
}

}  // namespace warplens
