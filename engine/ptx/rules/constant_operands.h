// Loads from constant arrays that cost no request: at an address that is the same for the whole warp the
// uniform datapath reads them (ULDC), and the value is an operand of the arithmetic.
//
//   ld.const.f32 %f1,[c];  ld.const.f32 %f2,[c+8];  fma.rn.f32 %f3,%f0,%f1,%f2;      %f1 none, %f2 one
//   request
//
// A machine instruction takes one such operand. Of several the later ones go through a register and LDC,
// which counts; so do values that are stored or divided by, all in predicated parts (ULDC cannot be
// predicated), all whose address is computed where lanes have parted, and all that are read through a base
// with negative offsets (ULDC has none). Read from the machine code of ptxas 13.0 for 40 small kernels; sums
// of three integers and logic of three operands are one instruction there.
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// One entry an instruction: a load from a constant array without a request of its own, by the rules.
// `predicated`: of each block, as executed_branches() says.
std::vector<bool> free_constants(const Module& module, const Function& function,
                                 const std::vector<bool>& predicated);
// The same, told by the machine code: those of which it has no LDC.
std::vector<bool> machine_free_constants(const Module& module, const Function& function);

}  // namespace warplens::ptx
