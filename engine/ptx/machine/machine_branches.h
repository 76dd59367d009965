// Which branches the machine executes, told by its machine code (machine_code.h) instead of by the rules of
// branch_form.h:
//
//   @%p1 bra L;  of which a BRA or BRX was made         a branch of the machine
//   @%p1 bra L;  of which an EXIT was made              leaves
//   @%p1 bra L;  of which none was made                 predicated, or decided elsewhere: removed
//   BRA made of the setp of a branch without its own    that branch
//   BRA @P made of `bra.uni B` behind `@%p1 bra A`      `@%p1 bra A`, turned round
//   BRA made of anything else (a division's test, a     one more, as often as its block runs
//   jump that only the layout needs, a BRA.DIV)         (machine_blocks.h)
//
// Branches in slow paths do not count, and those of an unrolled loop (unrolled_loops.h) are the loop's.
#pragma once

#include "engine/ptx/rules/branch_form.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Changes what the rules said where the machine code tells otherwise.
void follow_machine_branches(const Module& module, const Function& function, ExecutedBranches& out);

}  // namespace warplens::ptx
