// What an SmCode says of its blocks as a whole.
#include "engine/analysis/sm_code.h"

namespace warplens::analysis {

double SmCode::steps_of(std::size_t block) const {
  double sum = 0;
  for (const auto& warp : blocks[block]) sum += static_cast<double>(warp.size());
  return sum;
}

double SmCode::slots_a_block() const {
  const std::size_t apart = first_alone ? 1 : 0;
  double sum = 0;
  for (std::size_t b = apart; b < blocks.size(); ++b)
    for (const auto& warp : blocks[b])
      for (const SmStep& step : warp)
        if (const SmInstruction& i = instructions[step.instruction]; i.unit != SmUnit::None)
          sum += 1 + static_cast<double>(i.hold);
  return blocks.size() > apart ? sum / static_cast<double>(blocks.size() - apart) : 0;
}

}  // namespace warplens::analysis
