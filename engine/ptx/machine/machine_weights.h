// How many machine instructions a launch executes, told by what the emulator counts of the PTX:
//
//   warp instructions =   sum of of_instruction * executions        about smsp__inst_executed
//                       + sum of of_parting * divergent executions
//   lanes             =   sum of of_instruction * lanes             about smsp__thread_inst_executed
//
// The quotient is what the suite holds against an H200 (execution.average_active_lanes). Copies of a block
// share its executions. Where lanes that parted meet again, each group executes the BSYNC as it comes:
//
//   if (c) a(); else b();     BSYNC: one execution where all lanes go one way, two where they part
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// One entry an instruction of the function; both empty where nothing is known.
struct MachineWeights {
  std::vector<double> of_instruction;  // zero for most
  std::vector<double> of_parting;      // of branches whose lanes meet again
};

MachineWeights machine_weights(const Module& module, const Function& function);

}  // namespace warplens::ptx
