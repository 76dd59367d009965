// Loops, and what decides whether lanes stay in them: how a loop without an end is told from a long one.
//
//   A: setp.ge.s32 %p1, %r1, %r2;      is left where %p1 says so, which %r1 and %r2 decide: steering
//      @%p1 bra B;                     {%p1, %r1, %r2}. %f1 decides nothing.
//      add.f32 %f1, %f1, %f2;
//      add.s32 %r1, %r1, %r3;          and what %r1 becomes decides %r3 besides
//      bra A;
//   B: ret;
//
// A loop here is a largest set of blocks that lead to each other: whoever leaves it does not come back.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct SteeredLoop {
  // False: neither a branch nor a return, an exit or a trap leads out.
  bool leads_out = true;
  // What a lane's way through the loop depends on, besides its steering registers and what comes from outside
  // of the loop. Registers: nothing, so that a lane whose steering registers are at one place as they were
  // there before goes the same way again and again. Memory: memory that is only read in the loop, with
  // nothing in it that would order the reading behind what other threads write. More: what nobody foresees.
  enum class By : std::uint8_t { Registers, Memory, More } by = By::More;
  std::vector<RegisterId> steering;   // in the order of their numbers; empty for By::More
  std::uint32_t first = 0, back = 0;  // instructions: the first of the text, and the last jump back to it
};

struct SteeredLoops {
  std::vector<SteeredLoop> loops;
  std::vector<std::uint32_t> loop_of;  // of each block; kNone outside of loops
};

SteeredLoops steered_loops(const Module& module, const Function& function);

}  // namespace warplens::ptx
