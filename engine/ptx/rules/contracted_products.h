// Products that ptxas makes one instruction with the sum that they go into, which then rounds once: where the
// PTX leaves both roundings open (no .rn), as front ends write them unless they are asked not to
// (-fmad=false).
//
//   mul.f32 %f3,%f1,%f2;   sub.f32 %f5,%f4,%f3;                  FFMA R5, -R1, R2, R4
//   mul.f32 %f3,%f1,%f2;   add.f32 %f5,%f3,%f4;  st [..],%f3;    FMUL, FADD: the product is needed as well
//
// A product goes into its sums where it is needed for nothing else, they stand in its basic block, and both
// flush subnormals or neither does. Of two products in a sum one goes into it: one that this sum alone needs,
// else the first that is not an addend of another. Read from the machine code of ptxas 13.0 for sm_90, from
// written cases and from 400 random ones, of which 397 were as foretold; the others have the same product
// twice.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// For each instruction: a sum has the multiplication that it carries out, a multiplication that is carried
// out by its sums alone has itself, and any other has kNone. The multiplication's operands hold at its sums
// what they held at it. Nothing is contracted in modules for debugging.
std::vector<std::uint32_t> contracted_products(const Module& module, const Function& function);

}  // namespace warplens::ptx
