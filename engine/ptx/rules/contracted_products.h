// Products that ptxas makes one instruction with the sum that they go into, which then rounds once: where the
// PTX leaves both roundings open (no .rn), as front ends write them unless they are asked not to
// (-fmad=false).
//
//   mul.f32 %f3,%f1,%f2;   sub.f32 %f5,%f4,%f3;                  FFMA R5, -R1, R2, R4
//   mul.f32 %f3,%f1,%f2;   add.f32 %f5,%f3,%f4;  st [..],%f3;    FMUL, FADD: the product is needed as well
//
// A product goes into its sums where it is needed for nothing else, they stand in its basic block, and both
// flush subnormals or neither does; `neg` and `mov` between them change only its sign. A branch or a label
// that is jumped to ends the block, a barrier does not. Of two products in a sum one goes into it: one that
// this sum alone needs, else the first that is not an addend of another. Read from the machine code of
// ptxas 13.0 for sm_90, from written cases and from random ones: 397 of 400 of sums and products were as
// foretold (the others have the same product twice), and 399 of 400 with copies and negations.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// What becomes of an instruction.
struct Contracted {
  std::uint32_t product = kNone;  // a sum: the multiplication that it carries out
  std::uint8_t operand = 0;       // of a sum: which of its operands stands for the product, 1 or 2
  bool negated = false;           // of a sum: what stands there is the product with its sign changed
};

// One an instruction. A multiplication that is carried out by its sums alone, and each copy and negation of
// it, names itself as the product: none of them is executed. The multiplication's operands hold at its sums
// what they held at it. Nothing is contracted in modules for debugging.
std::vector<Contracted> contracted_products(const Module& module, const Function& function);

}  // namespace warplens::ptx
