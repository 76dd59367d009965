// The accesses of one warp around the one that is shown, one a row: what ran before, what comes next, and
// what each costs. A click goes there.
#pragma once

#include <span>

#include "visual/pick.h"

namespace warplens::visual {

inline constexpr float kAccessRow = 24;

// Accesses of this warp that a list of at most `wanted` rows would show; a list of one says nothing.
int count_accesses(const ViewInput& input, const Picked& picked, std::span<const trace::Space> spaces,
                   int wanted);
// Height for a number of rows, with the caption.
float access_list_height(int rows);
// Draws as many rows as fit; nothing when the warp has no other access.
void draw_access_list(Draft& draft, Rect r, const ViewInput& input, const Picked& picked,
                      std::span<const trace::Space> spaces);

}  // namespace warplens::visual
