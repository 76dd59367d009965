// How the machine carries out an atomic operation, where that is not simply lane by lane. ptxas for sm_90
// (read from its output, and confirmed by the counters of an H200):
//
//   result unused, no memory fence in the function,       a reduction (RED) instead of an atomic (ATOM)
//   address known to be global
//   address uniform, add/min/max/and/or/xor of 32 bits    the warp's values are combined first and one lane
//                                                          does it (vote and population count, or REDUX)
//   shared memory, add 1, result unused                   ATOMS.POPC.INC: lanes on the same word count once
//
//   atomicAdd(&counter, 1)    -> OneLane, reduction          atomicAdd(&bins[key], 1) in shared -> CountLanes
//   slot = atomicAdd(&n, 1)   -> OneLane, atomic             atomicAdd(&sum, 1.0f) -> EveryLane, reduction
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

enum class AtomicForm : std::uint8_t {
  EveryLane,      // each active lane for itself
  OneLane,        // one lane for all active ones
  OneLaneIfFull,  // one lane when all 32 are active, otherwise each for itself
  CountLanes,     // lanes on the same shared word are one access
};

struct AtomicExecution {
  AtomicForm form = AtomicForm::EveryLane;
  bool reduction = false;  // global memory only: counted as a reduction
};

// One entry an instruction; entries of other instructions mean nothing.
std::vector<AtomicExecution> atomic_executions(const Module& module, const Function& function);

}  // namespace warplens::ptx
