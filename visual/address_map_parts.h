// Two parts under the address map: how much of what was fetched is used, and where in its array the warp is.
#pragma once

#include <span>

#include "engine/trace/trace.h"
#include "visual/layout.h"

namespace warplens::visual {

struct UsedBytes {
  std::uint64_t total = 0, used = 0;  // bytes
  std::uint64_t others = 0;           // of the rest, what this warp's other accesses use
  bool writes = false;                // "not written" instead of "fetched for nothing"
  float seen = 1;                     // share of the bar that the animation has drawn
};
void draw_used_bar(Draft& draft, const Rect& r, const UsedBytes& bytes);

// The whole array as one bar, with a mark for each line (128 B, ascending addresses) of the access, and a
// lower one for those of the other warps of its block.
void draw_array_strip(Draft& draft, Rect r, const trace::BufferPlacement& buffer,
                      std::span<const std::uint64_t> lines, std::span<const std::uint64_t> block);

}  // namespace warplens::visual
