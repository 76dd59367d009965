// Loops that ptxas unrolls once more, by four, although the front end has unrolled them already. Lanes with
// different trip counts then run different copies of the body and meet less often, and the loop's branch is
// executed less often. With `turns` of the PTX's loop left, the machine runs (read from ptxas 13.0's code for
// sm_90, and confirmed by an H200's counts of each instruction):
//
//   while turns >= 4:  four turns in one        a branch in front, and one at the end of each
//   if turns >= 2:     two turns in one         a branch in front
//   if turns == 1:     the last                 a branch in front
//
// A loop that is left when its counter *equals* a value has a test in front of all that and one behind the
// last turn as well.
//
// Where the machine code is known (machine_code.h), seven copies of a loop's accesses say that it is
// unrolled, also when it consists of several blocks. Otherwise unrolled are loops of one block whose counter
// changes by a constant and is itself compared with a value from outside, with a small body without calls,
// atomics, divisions, transcendental functions and local memory (smaller still with choices), and no plain
// copies from global memory to global memory; not those marked "nounroll" (as the front end marks what its
// own unrolling left over).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct UnrolledLoop {
  std::uint32_t first = 0, branch = 0;  // instructions: the first of the body, and the branch back to it
  bool ends_by_equality = false;
  bool uniform = false;  // all lanes make the same number of turns
};

// In the order of the text.
std::vector<UnrolledLoop> unrolled_loops(const Module& module, const Function& function);

}  // namespace warplens::ptx
