// When the model of an SM (sm_simulation.h) is given its blocks.
//
//   BlockLaunch launch(setup);
//   const BlockLaunch::Start start = launch.next(0, warps);   // a place is free from cycle 0 on
//   launch.ended(at, warps);                                  // its block has
//
// While there is room, a launch hands all SMs one block after the other at the same time, some 24 cycles
// apart. From when it has heard of a block that ended, it hands out no more than it hears of, which it does
// one after the other (read on an H200: tools/golden/launch_order.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/analysis/sm_units.h"

namespace warplens::analysis {

class BlockLaunch {
 public:
  explicit BlockLaunch(const SmSetup& setup) : setup_(setup) {}

  bool over() const { return given_ >= setup_.blocks; }
  std::uint64_t given() const { return given_; }
  Cycle due() const { return free_; }     // of the next block, where there is room
  Cycle heard() const { return heard_; }  // of the end of all that ended

  struct Start {
    Cycle at = 0;
    bool waited = false;  // it was not the launch that it waited for, but room
  };
  // Of one more block, whose place is free from `from` on.
  Start next(Cycle from, std::size_t warps) {
    const bool waited = from > free_ + turn(warps);
    const Cycle at = std::max(from, free_);
    const bool hears = at >= first_end_ + setup_.turnover_cycles;
    const Cycle gap = setup_.fill_cycles + static_cast<Cycle>(warps);
    free_ = at + (hears ? turn(warps) : std::min(gap, turn(warps)));
    ++given_;
    return {at, waited};
  }

  void ended(Cycle at, std::size_t warps) {
    first_end_ = std::min(first_end_, at);
    heard_ = std::max(heard_ + turn(warps), at);
  }

 private:
  Cycle turn(std::size_t warps) const {
    return setup_.block_cycles + static_cast<Cycle>(warps) * setup_.warp_cycles;
  }

  const SmSetup& setup_;
  std::uint64_t given_ = 0;
  Cycle free_ = 0, heard_ = 0;
  Cycle first_end_ = std::numeric_limits<Cycle>::max() / 2;
};

}  // namespace warplens::analysis
