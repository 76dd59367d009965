// How the machine carries out a branch of the PTX, where that is not a branch. ptxas for sm_90 (read from its
// output over families of small kernels whose conditional parts grow instruction by instruction):
//
//   jump to a bare `ret` of a kernel              a predicated EXIT; counts as no branch
//   jump over (if) or between (if-else) a few     the instructions are predicated; no branch at all
//   plain instructions
//   jump to code that nothing else leads to       the code is put there; no branch
//   jump right behind a conditional branch        the condition is turned round; no branch of its own
//
//   setp.lt.s32 %p1,%r8,1;  @%p1 bra SKIP;  shl; add; ld.shared; add; st.shared;  SKIP:      -> Removed
//   the same around an atomic, a division, a shuffle, a barrier, or twenty instructions      -> Branches
//
// A few: about 8 machine instructions on either side, 6 when the condition is the same for the whole warp, 20
// when the part loads from global memory (waiting for a load hides what the predication costs). What is
// already predicated inside counts with its instructions. The machine's own limits are not published: near
// the limits the model can be wrong in either direction.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/module.h"

namespace warplens::ptx {

enum class BranchForm : std::uint8_t { Branches, Leaves, Removed };

// One entry an instruction; entries of instructions other than `bra` mean nothing.
std::vector<BranchForm> branch_forms(const Module& module, const Function& function);

}  // namespace warplens::ptx
