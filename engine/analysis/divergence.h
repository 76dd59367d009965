// Active lanes: how many of the 32 work, where branches part them, and how many lane-slots are lost.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/trace/block_work.h"
#include "engine/trace/event.h"
#include "engine/trace/trace.h"

namespace warplens::analysis {

struct ExecutionCounts {
  std::uint64_t warp_instructions = 0, thread_instructions = 0;  // of the PTX
  std::uint64_t branches = 0, divergent_branches = 0;            // warp-level executions (B1)
  // Of the machine, as far as its code tells (ptx::machine_weights); 0: not known.
  double machine_warp_instructions = 0, machine_thread_instructions = 0;
  std::shared_ptr<const trace::BlockWork> by_block = {};  // warp_instructions of each block; null: not known
  bool of_machine() const { return machine_warp_instructions > 0; }
  double average_active_lanes() const;  // over the machine's instructions where known, else the PTX's
  double efficiency() const;            // average active lanes / 32
};

// The lanes of one warp over time: from warp instruction `begin` to `end` these lanes ran this code.
struct ActiveSpan {
  std::uint64_t begin = 0, end = 0;
  LaneMask active = 0, waiting = 0, exited = 0;  // waiting: alive but on another path or not reached yet
  std::uint32_t instruction = 0;
  int line = 0;
};

}  // namespace warplens::analysis
