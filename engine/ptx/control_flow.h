// Basic blocks, immediate post-dominators and loop depth of a function (Cooper, Harvey and Kennedy's
// algorithm on the reversed graph, with a virtual exit that ret, exit and trap lead to).
#pragma once

#include "engine/ptx/module.h"

namespace warplens::ptx {

// Fills blocks, block_of; called by the parser, and again by whoever edits a function.
Status build_control_flow(const Module& module, Function& function);

// Where the lanes that a branch at `instruction` parts come together again: the first instruction of the
// branch block's immediate post-dominator, or kNone for the function's exit.
std::uint32_t reconvergence_point(const Function& function, std::uint32_t instruction);

}  // namespace warplens::ptx
