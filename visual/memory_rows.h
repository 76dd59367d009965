// Places the lines and sectors of one warp access in rows across the width.
//
// A line (128 B) shows its four sectors. Sectors that nobody asked for shrink when space is short, and lines
// that are far apart in memory stand next to each other with a gap that says so; a row breaks between lines.
#pragma once

#include <span>
#include <vector>

#include "engine/analysis/coalescing.h"
#include "visual/scene.h"

namespace warplens::visual {

struct SectorPlace {
  std::uint64_t address = 0;
  const analysis::Sector* sector = nullptr;  // null: not fetched
  Rect box;                                  // y counts from 0; the row says which
  int row = 0;
};
struct LinePlace {
  std::uint64_t address = 0;
  float left = 0, right = 0;
  int row = 0;
  bool after_gap = false;  // memory between this line and the one before is not shown
};
struct MemoryRows {
  std::vector<SectorPlace> sectors;
  std::vector<LinePlace> lines;
  int rows = 1;
  float sector_width = 0;  // of a fetched sector
};

// x and width are filled in, y and height are left to the caller. `wanted` is the width a fetched sector
// should reach; more rows are used, up to `max_rows`, until it does.
MemoryRows arrange_memory(const analysis::CoalescingDetail& detail, float x, float width, float wanted,
                          int max_rows);

}  // namespace warplens::visual
