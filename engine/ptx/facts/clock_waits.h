// Loops that only wait for a clock: nothing in them but readings of it, arithmetic, jumps and nanosleep.
//
//   while (clock64() - begin < cycles) {}     each turn is like the one before, whatever time it is
//
// What such a loop executes says how long the clock took, and nothing else: who emulates it may let time go
// faster.
#pragma once

#include <cstdint>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Whether the innermost loop around the instruction is one; false outside of loops.
bool waits_on_clock(const Module& module, const Function& function, std::uint32_t instruction);

}  // namespace warplens::ptx
