// Whose turn it is on a scheduler of the model of an SM (sm_simulation.h).
//
//   std::vector<SchedulerTurns> turns = deal(blocks, width, schedulers);   // slots of warps, block by block
//   turns[s].blocks;    // the oldest first, each with its warps that this scheduler has
//   turns[s].stays;     // warps that come before all others, the latest last
//
// A warp that has issued stays until it has issued an instruction behind which ptxas has it yield, or waits
// for a scoreboard or for room in a queue (read on an H200: tools/golden/yields.py). Of the others those of
// the oldest block come first, in turn (read on an H100: tools/golden/scheduler.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warplens::analysis {

struct BlockTurns {
  std::uint32_t block = 0;
  std::size_t next = 0;  // into `slots`, whose turn it is
  std::vector<std::size_t> slots;
};

struct SchedulerTurns {
  std::vector<BlockTurns> blocks;
  std::vector<std::size_t> stays;

  // A block that begins is the youngest.
  void put_last(std::uint32_t block) {
    const auto at = std::ranges::find(blocks, block, &BlockTurns::block);
    std::rotate(at, at + 1, blocks.end());
    blocks.back().next = 0;
  }
};

// Which scheduler has the warp of a slot. Warps of a block go to the schedulers in turn, and the next block
// goes on behind the last of them; behind one that gave each scheduler as many it begins one further (read on
// an H100: tools/golden/blocks.cu). So blocks in which every second warp leaves at once still keep all busy.
inline std::uint32_t scheduler_of(std::size_t slot, std::size_t width, std::size_t schedulers) {
  return static_cast<std::uint32_t>((slot + (width % schedulers == 0 ? slot / width : 0)) % schedulers);
}

// Of so many blocks of `width` warps.
inline std::vector<SchedulerTurns> deal(std::size_t blocks, std::size_t width, std::size_t schedulers) {
  std::vector<SchedulerTurns> out(schedulers);
  for (SchedulerTurns& turns : out) {
    turns.blocks.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) turns.blocks[b].block = static_cast<std::uint32_t>(b);
  }
  for (std::size_t slot = 0; slot < blocks * width; ++slot)
    out[scheduler_of(slot, width, schedulers)].blocks[slot / width].slots.push_back(slot);
  return out;
}

}  // namespace warplens::analysis
