// The functions that counting code calls (kernels/recorder/recorder.cu), as PTX that is part of the program.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/result.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::gpu {

// The `rule` of recorder.cu: bytes a lane in the low eight bits, and what sets the instruction apart.
inline constexpr std::uint32_t kRuleAtomic = 0x100, kRuleSwap = 0x200, kRuleByLane = 0x400,
                               kRuleMerges = 0x800, kRuleMatrix = 0x1000, kRuleLoop = 0x2000,
                               kRuleLoopLoads = 0x4000, kRuleOneLane = 0x8000, kRuleOneIfFull = 0x10000,
                               kRule8Lanes = 0x20000, kRule16Lanes = 0x40000, kRuleNarrow = 0x80000;
inline constexpr int kRuleLoadsShift = 24;

std::string_view recorder_ptx();

// Appends the recorder's functions to `module` and raises its target and version to what they need.
Status append_recorder(ptx::Module& module);

}  // namespace warplens::gpu
