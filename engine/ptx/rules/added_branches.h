// Branches that the machine executes and no PTX has. All lanes that are there take them together:
//
//   sqrt.rn.f32 %f1, %f2           tests whether the operand needs the slow path
//   shfl.sync ..., -1              in a part that not all lanes of a warp need run, the first of a block
//   tests
//                                  whether they are all there (BRA.DIV), unless a bar.warp.sync stands in
//                                  front
//   end of a side                  that was laid out in front of the other (branch_form.h)
//   call                           the CALL and the RET, which the counter of branches takes in; of a routine
//   of
//                                  the system (vprintf) the CALL alone
//
// Where the machine code is known it tells all but the calls (machine_branches.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/rules/branch_form.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// How many with each execution, one entry an instruction: calls, and what `branches` says of the layout and,
// where the machine code is known, of all else.
std::vector<std::uint32_t> added_branches(const Module& module, const Function& function,
                                          const ExecutedBranches& branches);
// Adds those that rules foretell: tests of divisions and roots, and of presence.
void add_foretold_branches(const Module& module, const Function& function, std::vector<std::uint32_t>& out);

}  // namespace warplens::ptx
