// Which instructions the warps of a stored block executed, in order, told by its branches and changes of
// mask.
//
//   const WarpWalk walk = walk_block(module, entry, trace, trace.blocks().front(), 10000);
//   walk.warps[3][17].instruction      // the 18th PTX instruction that warp 3 executed
//
// A trace keeps accesses, branches, barriers and masks; what lies between two of them is straight code.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

struct WalkedStep {
  std::uint32_t function = 0, instruction = 0;  // indexes into the module
  LaneMask active = 0;
  std::uint32_t step =
      0xffffffffu;  // of the trace: its access; none for other instructions and without lanes
};

struct WarpWalk {
  std::vector<std::vector<WalkedStep>> warps;
  bool cut = false;  // some warp executed more than was asked for, or than the trace has kept
};

// At most `most` instructions a warp.
WarpWalk walk_block(const ptx::Module& module, const ptx::Function& entry, const trace::Trace& trace,
                    const trace::BlockSteps& block, std::size_t most);

}  // namespace warplens::analysis
