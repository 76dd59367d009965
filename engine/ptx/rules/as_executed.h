// What the machine executes where it differs from what the PTX says: ptxas joins adjacent shared and local
// accesses into one wide access when it can prove alignment. That changes the counters; what was written is
// kept in the instruction. A part of lowering.h, where loads that repeat others and constants come on top.
//
//   ld.shared.f32 %f1,[%r1];  ld.shared.f32 %f2,[%r1+4];  ld.shared.f32 %f3,[%r1+8];
//   with r1 known to be a multiple of 16
//   -> one group: the first is the leader with 16 bytes, the others ride along and count nothing.
//
// The rules were read from ptxas 13.0's output for sm_90. Loads join while nothing stores to that memory or
// orders it (barrier, fence, atomic, call), also from blocks that the first load's block dominates; three
// words of an aligned four are enough in shared memory, four are needed in local memory. Stores join only
// next to each other and only when they fill the wide store. Volatile and guarded accesses and those below 4
// bytes never join.
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct ExecutedAs {
  std::uint32_t leader =
      kNone;                  // instruction that is counted for this one; itself when it is not merged away
  int bytes = 0;              // bytes a lane of the executed access (leader only; 0 when it is no access)
  bool in_registers = false;  // a local access that is none: the array lives in registers (register_arrays.h)
  std::int64_t offset =
      0;  // leader only: byte offset of the wide access relative to the leader's own address
};

// What the rules say, one entry an instruction of the function.
std::vector<ExecutedAs> as_executed(const Module& module, const Function& function, int sm_version = 90);

}  // namespace warplens::ptx
