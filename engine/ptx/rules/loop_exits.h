// Loops in which ptxas does not let lanes meet again, as it does in others: those that are left towards
// several places, and those that a jump enters behind their head.
//
//   for (y ...)                       a loop inside another one, with ways out of either
//     for (x ...) {
//       if (v == 13) continue;        no BSSY: these lanes stay apart until the inner loop has ended
//       if (v > 95) { ...; break; }
//       if (v < 3) goto done;         without this line, or without the break, they meet at the next turn
//     }
//
// Where the ways of a branch that stay in the loop meet, and the others lead out towards one place, lanes do
// meet. Nothing depends on it but when lanes go on as one. Source: machine code of ptxas 13.0 for compute
// capability 9.0, counters of an H200 (nested_leave, duff_copy, barrier_option in
// tests/conformance).
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// For each block of the function: whether lanes that come to it at different times stay apart. Needs
// build_control_flow().
std::vector<bool> loops_passed_apart(const Function& function);

}  // namespace warplens::ptx
