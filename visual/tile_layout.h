// A tile in shared memory twice: as the kernel counts it, rows and columns, and as it lies in the banks, 32
// words a row. Side by side they show what padding and swizzles are for: a column of the tile is one bank, a
// diagonal, or a permutation.
//
//   const auto tile = tile_of(input, access.active, offsets, access.bytes);   // empty: no array of two
//   extents there draw_logical_tile(draft, left, *tile, look); draw_physical_tile(draft, columns, gutter,
//   gap, *tile, look);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "visual/layout.h"

namespace warplens::visual {

inline constexpr int kBanks = 32;

struct Tile {
  const SharedArray* array = nullptr;
  int rows = 0, columns = 0;  // all extents but the last one, multiplied; and the last one
  struct Use {                // an address, and the lanes that want it
    LaneMask lanes = 0;
    std::uint64_t offset = 0;  // bytes, in the block's shared memory
  };
  std::vector<Use> uses;  // ascending offsets
  int bytes = 4;          // of each use
  int row_words() const { return std::max(1, columns * array->element_bytes / 4); }
  int physical_rows() const;  // of 32 words
};

// How lanes look at this moment, and which bank is pointed at in the tile.
struct TileLook {
  std::function<float(LaneMask lanes)> alpha;
  std::function<std::string(LaneMask lanes, std::uint64_t word)> tip;
  int bank = -1;
};

// `offsets` holds 32 values. Empty too when the lanes do not stay in one array, or its rows are too long to
// draw.
std::optional<Tile> tile_of(const ViewInput& input, LaneMask active, const std::uint64_t* offsets, int bytes);

// "float tile[32][33]"
std::string declaration_of(const Tile& tile);
// What the length of its rows means for a column.
std::string explain_tile(const Draft& draft, const Tile& tile);

void draw_logical_tile(Draft& draft, Rect r, const Tile& tile, const TileLook& look);
// `r` holds the 32 banks across; the labels stand in the gutter left of it. Draws as many rows as fit.
void draw_physical_tile(Draft& draft, Rect r, float gutter, const Tile& tile, const TileLook& look);

}  // namespace warplens::visual
