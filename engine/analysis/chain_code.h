// The instructions of an SmCode that the chains of a function's machine code become (machine_chains.h): each
// with the registers that it waits for and gives.
//
//   r = ld [a]; a = a + 4; s = s + r; bra      in two turns: LDG r'  LDG r  FADD s' s r'  FADD s s' r  BRA
//
// What a turn writes has a register of its own until the last one; what ptxas made nothing of hands on what
// it was made from.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/analysis/machine_chains.h"
#include "engine/analysis/sm_code.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::analysis {

struct CodedChain {
  struct Step {
    std::uint32_t instruction = 0;                 // into SmCode::instructions
    std::uint32_t made_of = ptx::kNone, turn = 0;  // as in ChainEntry
    bool binds = false;  // an execution of made_of: what it accesses, a barrier, the end
  };
  std::uint32_t turns = 1;
  std::vector<Step> steps;            // in order; last the moves that cost nothing
  std::vector<std::uint32_t> covers;  // PTX blocks
  std::vector<std::uint32_t> blocks;  // of the machine
  std::uint32_t loop = ptx::kNone;    // PTX block whose chain it is, where that is in a loop
};

struct CodedChains {
  std::vector<std::vector<CodedChain>> of_block;  // by PTX block; empty: nothing known
  std::vector<CodedChain> between;                // by machine block; empty: none that stands between others
  MachineChains machine;                          // what they were made of
  bool branches_leave = false;  // where the PTX jumps to its end the machine leaves under a guard
};

// `plain`: where the function's PTX instructions begin in code.instructions, one each, which say units and
// latencies. `registers`: where its registers begin.
CodedChains code_chains(const ptx::Module& module, const ptx::Function& function, std::uint32_t plain,
                        std::uint32_t registers, SmCode& code);

}  // namespace warplens::analysis
