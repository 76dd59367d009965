// A palette of at most 256 colours for a set of pictures, by median cut: GIF has no more.
//
// Our pictures are flat with smooth edges, so the few colours that fill areas must come out unchanged; they
// are kept exactly as long as they are common, and the shades of the edges share what is left.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace warplens::visual {

class ColourTable {
 public:
  // Pixels as 0xRRGGBB; may be called for several pictures before build().
  void add(std::span<const std::uint32_t> pixels);
  void build();
  const std::vector<std::uint32_t>& colours() const { return colours_; }  // 1 to 256
  std::uint8_t nearest(std::uint32_t colour);

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
  std::vector<std::uint32_t> colours_;
  std::unordered_map<std::uint32_t, std::uint8_t> index_;
};

}  // namespace warplens::visual
