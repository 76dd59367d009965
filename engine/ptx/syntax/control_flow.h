// Basic blocks, immediate post-dominators and loop depth of a function.
//
//   @%p bra L;  a;  L: b;  ret;     blocks {0}, {1}, {2,3}; block 2 post-dominates the others
//
// Post-dominators are the dominators (Lengauer and Tarjan) of the reversed graph, with a virtual exit that
// ret, exit and trap lead to, and one block of every loop that never ends. Loops are those of Havlak's
// nesting forest. Both stay close to linear whatever the graph looks like.
#pragma once

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Fills blocks, block_of; called by the parser, and again by whoever edits a function.
Status build_control_flow(const Module& module, Function& function);

}  // namespace warplens::ptx
