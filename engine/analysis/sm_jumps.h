// What a warp of the model of an SM (sm_simulation.h) waits for behind a jump.
//
//   const JumpCycles jump = cycles_of_jump(instruction, to, setup);   // `to`: place of the next instruction
//
// One that is not taken costs what ptxas leaves behind it. Behind one that is taken the warp waits for where
// it goes to and then for what stands there (read on an H200: tools/golden/jumps.cu); behind one that brings
// lanes together, taken or not, for them (sampled by instruction in kernels of public repositories).
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/analysis/sm_code.h"
#include "engine/analysis/sm_simulation.h"

namespace warplens::analysis {

struct JumpCycles {  // from its issue, one after the other
  std::int64_t wait = 0, resolving = 0, no_instruction = 0;
};

inline JumpCycles cycles_of_jump(const SmInstruction& jump, std::uint32_t to, const SmSetup& setup) {
  // Where ptxas's schedule is not known, what it gives most jumps.
  constexpr std::int64_t kStall = 5, kResolving = 3, kRefill = 2, kMeeting = 10;
  const std::int64_t wait = jump.schedule.known() ? std::int64_t{jump.schedule.stall} : kStall;
  const bool passes = jump.place != SmInstruction::kNowhere && to == jump.place + 1;
  if (jump.meets) return {wait, jump.pause + kMeeting, 0};
  if (passes && jump.pause == 0) return {wait, 0, 0};
  if (jump.schedule.known()) return {wait, jump.pause + kResolving, kRefill};
  return {wait, std::max<std::int64_t>(kResolving, 1 + setup.branch_cycles - wait - kRefill), kRefill};
}

}  // namespace warplens::analysis
