// Loads that ptxas drops because the value is already in a register: the same bytes were loaded before on
// every path, and nothing in between may have changed them. Front ends leave such loads where votes, shuffles
// and matches stand between them (read from the machine code of ptxas 13.0 for sm_90).
//
//   ld.global.u32 %r1,[%rd4];   vote.sync.ballot.b32 %r5,...;   ld.global.u32 %r7,[%rd4];   // one LDG
//
// A store to the same space, an atomic, a fence, a barrier (block or warp) and a call end what is known;
// loads of another width are loaded again.
#pragma once

#include <vector>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {

// For each instruction the earlier load that makes it superfluous, or kNone.
std::vector<std::uint32_t> redundant_loads(const Module& module, const Function& function);
// Cost grows with blocks times loads: of a function with too many of both none is found.
bool has_too_many_loads(const Module& module, const Function& function);

}  // namespace warplens::ptx
