// One cursor over two traces: where the other run does what this one does here.
//
//   matching_step(b, 40, a, true)   // b's warp 1 runs site 3 the second time: so where a's warp 1 does
#pragma once

#include <cstddef>

#include "engine/trace/trace.h"

namespace warplens::window {

// The step of `to` that stands for `step` of `from`: the same block and warp, and the same occasion (the n-th
// time) of the same site; of two programs, of the same kind of access. Where there is none, the step at the
// same share of the trace. 0 for an empty `to`. Takes a walk over one block of each.
std::size_t matching_step(const trace::Trace& from, std::size_t step, const trace::Trace& to,
                          bool same_program);

}  // namespace warplens::window
