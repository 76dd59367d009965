// Fills the rows that hold constants, kernel parameters and special registers.
#pragma once

#include "engine/simt/launch/worker.h"
#include "engine/simt/load/program.h"

namespace warplens::simt {

class RowWriter {
 public:
  RowWriter(const LaunchState& state, Warp& warp) : state_(state), warp_(warp) {}
  void write(const ConstantRow& constant, Dim3 block_index, std::uint64_t block);

 private:
  std::uint64_t parameter(const ConstantRow& constant) const;
  std::uint64_t special(const ConstantRow& constant, unsigned lane, Dim3 block_index,
                        std::uint64_t block) const;

  const LaunchState& state_;
  Warp& warp_;
};

}  // namespace warplens::simt
