// How the machine carries out a branch of the PTX, where that is not a branch. ptxas for sm_90 (read from its
// output over families of small kernels whose conditional parts grow instruction by instruction, and over
// the machine code of 317 launches):
//
//   jump to a bare `ret` of a kernel              a predicated EXIT; counts as no branch
//   jump over (if) or between (if-else) a few     the instructions are predicated; no branch at all
//   plain instructions
//   jump to code that nothing else leads to       the code is put there; no branch
//   jump right behind a conditional branch        the condition is turned round; no branch of its own
//   branch on what an earlier one has decided     jumps past it go where it would; no branch
//   r == 2? r == 3? r == 4?                       one jump through a table (BRX), where the values are close
//                                                 (at most five times as far apart as there are questions)
//
//   setp.lt.s32 %p1,%r8,1;  @%p1 bra SKIP;  shl; add; ld.shared; add; st.shared;  SKIP:      -> Removed
//   the same around an atomic, a division, a shuffle, a barrier, or twenty instructions      -> Branches
//
// A few: about 8 machine instructions on either side, 6 when the condition is the same for the whole warp, 20
// when the part loads from global memory. Never predicated are parts that hold a predicated part already (0
// of 160: an `if` in an `if` keeps the outer branch), an if-else whose condition is the same for the whole
// warp, and cases that end where many others end (a switch). The machine's own limits are not published: near
// the limits the model can be wrong in either direction.
//
// Where both sides of `@p bra A; bra B; A: ... bra M; B: ... M:` stay, the machine puts B first: the jump at
// the end of A goes, and B gets one.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

enum class BranchForm : std::uint8_t { Branches, Leaves, Removed };

struct ExecutedBranches {
  std::vector<BranchForm> forms;                 // one an instruction; of others than `bra` they mean nothing
  std::vector<std::uint32_t> jump_after;         // instructions executed as often as a branch that no PTX has
  std::vector<std::uint32_t> further_questions;  // of a table: where lanes part here, it leads one way more
  std::vector<bool> predicated;  // one a block: the instructions are predicated, not jumped over
};
// What the rules say; where the machine code is known, machine_branches.h has the last word.
ExecutedBranches executed_branches(const Module& module, const Function& function);

}  // namespace warplens::ptx
