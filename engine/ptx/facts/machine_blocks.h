// The control-flow graph of a function's machine code (machine_code.h), and which PTX instruction tells how
// often each of its blocks runs.
//
//   60 LDG  61 STS  62 @P0 BRA 60  63 EXIT        blocks {60, 61, 62} {63}; the first runs as often as the
//                                                 st.shared that its STS was made of
//
// Told by instructions that stay where they are written: stores, atomics, barriers, shuffles, calls and
// conditional branches (ptxas moves loads and arithmetic, and predicates what stands behind a branch). A
// block without one runs as often as one that it always runs together with: either dominates the other, is
// post-dominated by it, and both are in the same loop.
//
// Not counted as running are slow paths: what is only reached through ptxas's routines for divisions and
// roots (CALL made of no call; of a division of 64-bit integers where another way does without), through a
// BRA.DIV, behind the EXIT in the middle of an atomic of the generic address space, or where an atomic is
// tried a second time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

struct MachineBlock {
  std::uint32_t first = 0, last = 0;  // of Function::machine, half open
  std::vector<std::uint32_t> successors;
  bool leaves = false;            // ends with EXIT or RET, guarded or not
  bool normal = false;            // reached without a slow path
  std::uint32_t runs_as = kNone;  // PTX instruction that is executed as often; kNone: not known
  std::uint32_t mostly = kNone;   // the first of the PTX block that most of it was made of, as far as all
                                  // lanes execute it
  std::uint32_t loops = 0;        // around it
};

struct MachineBlocks {
  std::vector<MachineBlock> blocks;
  std::vector<std::uint32_t> block_of;  // of each machine instruction
  // CALLs of a routine that always runs: the machine instruction, and how many are executed in it.
  std::map<std::uint32_t, int> routines = {};
};

// Empty where Function::machine is, and where it is larger than a kernel anybody reads (4,096 blocks).
MachineBlocks machine_blocks(const Module& module, const Function& function);

}  // namespace warplens::ptx
