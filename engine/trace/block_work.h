// How much each block of a launch executed: of some kernels one block has ten times the work of another, and
// the launch is over when the last of them is.
//
//   BlockWork work(launch.grid.volume());
//   work.add(block, instructions);
//   work.instructions()[block];  // of a grid of up to kMost blocks; 0: it did not run
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warplens::trace {

// PTX instructions, warp level. Of grids of more than kMost blocks, blocks that follow each other are kept
// together: so many of them as `each` says.
class BlockWork {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 16;

  BlockWork() = default;
  explicit BlockWork(std::uint64_t blocks)
      : blocks_(blocks), each_(std::max<std::uint64_t>(1, (blocks + kMost - 1) / kMost)) {
    instructions_.resize((blocks + each_ - 1) / each_);
  }

  void add(std::uint64_t block, std::uint64_t instructions) {
    if (block < blocks_) instructions_[block / each_] += instructions;
  }
  // Of the same launch.
  void add(const BlockWork& other) {
    for (std::size_t i = 0; i < std::min(instructions_.size(), other.instructions_.size()); ++i)
      instructions_[i] += other.instructions_[i];
  }

  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t each() const { return each_; }
  // By `each()` blocks; the last ones may be fewer.
  const std::vector<std::uint64_t>& instructions() const { return instructions_; }

 private:
  std::uint64_t blocks_ = 0, each_ = 1;
  std::vector<std::uint64_t> instructions_;
};

}  // namespace warplens::trace
