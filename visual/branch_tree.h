// How a warp parts and meets again, drawn like the graph of a version control system: time runs down, a solid
// strand is the lanes that run, a dashed one lanes that wait, its width how many they are.
//
//      |          32 lanes
//      ◆          they part: the strand of those who wait goes on, dashed
//      ¦ \        16 run on
//      ¦  |
//      | /
//      ●          and here they are one again
//
// Lanes that wait for the same moment are one strand; the sooner they go on, the nearer to the running one
// they stand. So an if without else is one strand beside the other, an else makes them change places, and the
// lanes that leave a loop early gather in one strand that grows.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "visual/layout.h"

namespace warplens::visual {

// A stretch of time in which the same lanes ran.
struct TreeRow {
  LaneMask active = 0, waits = 0;
  float top = 0, bottom = 0;
};

struct Strand {
  LaneMask lanes = 0;
  bool runs = false;
};
// The strands of each row, from left to right.
std::vector<std::vector<Strand>> strands_of(std::span<const TreeRow> rows);

// Width that this many strands ask for.
float branch_tree_width(std::span<const TreeRow> rows);
// `tip` says what happens at the top of a row.
void draw_branch_tree(Draft& draft, const Rect& area, std::span<const TreeRow> rows,
                      const std::function<std::string(std::size_t row)>& tip);

}  // namespace warplens::visual
