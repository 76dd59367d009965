// Which blocks of a launch stand for all of it, where blocks execute more or less than others.
//
//   const auto stored = blocks_like_all(work, recorded, 5);    // of those that were recorded
//   const BlockOrder order = order_of_sm(work, stored, 132);   // whom the blocks of one SM are like
//
// The blocks of a launch may be of a few kinds (a naive transpose whose grid covers more than the matrix has
// four idle blocks for each that stores) or each unlike the next (a fractal). Told apart by what they
// execute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/trace/block_work.h"

namespace warplens::analysis {

// Blocks that do no more than so many times as much as another are alike.
inline constexpr double kBlocksAlike = 1.25;

// The n-th of places between 0 and 1 of which any few in a row lie all over: multiples of the golden ratio.
double anywhere(std::size_t n);

// Of `recorded` blocks, ascending, at most so many whose work is nearest to that of all blocks of the launch,
// ascending. Nothing where the launch's blocks are alike, or where not each of them was counted by itself.
std::vector<std::uint64_t> blocks_like_all(const trace::BlockWork& work,
                                           std::span<const std::uint64_t> recorded, std::size_t most);

struct BlockOrder {
  std::vector<std::uint32_t> of_sm;  // by the how-many-eth block of an SM: index of the stored one it is like
  std::vector<double> shares;        // of the launch's blocks, by stored block, that are like it
};

// Of the SM whose blocks do most as those do that most of the launch's instructions are of: blocks are handed
// out in turn. Nothing where blocks_like_all() says nothing, or where no SM is given two of them.
std::optional<BlockOrder> order_of_sm(const trace::BlockWork& work, std::span<const std::uint64_t> stored,
                                      int sms);

}  // namespace warplens::analysis
