// Which registers hold the same value in every lane of a warp, as far as the compiler can prove it: values
// that depend only on parameters, block indexes, constants, votes and loads from addresses that are
// themselves uniform. ptxas treats atomics on such addresses differently (see atomic_form.h).
//
//   mov.u32 %r1,%ctaid.x;  mul.wide.u32 %rd2,%r1,4;      %r1, %rd2 uniform
//   mov.u32 %r3,%tid.x;    shr.u32 %r4,%r3,5;            both divergent, although lanes happen to agree
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

class Uniformity {
 public:
  static Uniformity compute(const Module& module, const Function& function);
  bool uniform(RegisterId reg) const { return reg >= divergent_.size() || !divergent_[reg]; }
  // An operand is uniform when every register in it is (constants and symbols are).
  bool uniform(const Operand& operand) const;

 private:
  std::vector<bool> divergent_;
};

// Blocks that some lanes of a warp may run while others wait for them: behind a branch whose condition
// differs by lane, up to where the two sides meet. A branch whose one side leaves the kernel parts nobody.
// One entry a block; in a function that is called every block may be such a one.
std::vector<bool> parted_blocks(const Module& module, const Function& function);

}  // namespace warplens::ptx
