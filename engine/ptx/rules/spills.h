// Registers that do not fit: ptxas stores their values in local memory and loads them back, which no PTX
// says. Known from the machine code alone (machine_code.h).
//
//   __global__ void __launch_bounds__(1024, 2) k(...)     32 registers a thread, 64 values
//   fma.rn.f32 %f9,%f1,%f2,%f3;    -> STL [R1+0x40],R7;  LDL R7,[R1+0x88];  FFMA ...:  1 stored, 1 loaded
//
// What a kernel hands to a function through its stack counts alike; what functions save at their entry is
// counted by calls (saved_registers.h).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// Machine accesses to local memory in the blocks of the machine that run as often as an instruction
// (machine_blocks.h), in words a lane.
struct Spill {
  std::uint32_t instruction = 0;
  std::uint32_t stored = 0, loaded = 0;
  std::uint32_t copies = 1;  // executions of the instruction in one run of such a block
};

// In the order of the instructions; empty where the machine code is unknown, and for functions that are no
// entries.
std::vector<Spill> spills(const Module& module, const Function& function);

}  // namespace warplens::ptx
