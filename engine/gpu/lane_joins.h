// Where the counting rewrite has to bring lanes together itself.
//
// ptxas puts a YIELD at the head of a loop that holds an atomic or a strong load when the kernel calls a
// function, as every counting kernel does: lanes that have left the loop and wait behind it are then let go,
// and run on apart (measured on an H200: 96 stores instead of 12). The plain kernel has them together there.
// So the lanes that are about to enter such a part say who they are, and behind it wait for each other:
//
//   from:   activemask.b32 %join, in front of the last instruction of a block that dominates
//   at:     bar.warp.sync %join, in front of the first of a block that post-dominates the former
//
// Only where no lane can wait for ever: every lane that passes `from` comes to `at`, and between them stand
// no barrier, call, sleep, fence or warp operation, and no loop that ends by what an atomic or a strong load
// returned, that is, perhaps by what another lane has yet to do.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ptx/facts/uniformity.h"
#include "engine/ptx/syntax/module.h"

namespace warplens::gpu {

struct LaneJoin {
  std::uint32_t from = 0, at = 0;  // instructions
  bool operator==(const LaneJoin&) const = default;
};

// A loop of one block that lanes enter together from one place and leave for one: how often each has passed
// it then tells all about its executions. `join`: from in front of the loop to behind it; every lane that
// passes the former comes to the latter once.
struct LoneLoop {
  std::uint32_t block = 0;
  LaneJoin join;
};

// Those that neither wait nor read what others write.
std::vector<LoneLoop> find_lone_loops(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Uniformity* uniformity);

// Of one function, in the order of `at`, at most one a block. `uniformity`: of its registers; null when that
// is not known.
std::vector<LaneJoin> find_lane_joins(const ptx::Module& module, const ptx::Function& function,
                                      const ptx::Uniformity* uniformity);

}  // namespace warplens::gpu
