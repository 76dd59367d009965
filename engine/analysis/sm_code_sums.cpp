// What an SmCode says of its blocks as a whole.
#include "engine/analysis/sm_code.h"

namespace warplens::analysis {
namespace {

// The mean of the blocks that stand for all, of what `cycles` says of each instruction that is issued.
template <typename Cycles>
double mean_of_blocks(const SmCode& code, const Cycles& cycles) {
  const std::size_t apart = code.first_alone ? 1 : 0;
  double sum = 0;
  for (std::size_t b = apart; b < code.blocks.size(); ++b)
    for (const auto& warp : code.blocks[b])
      for (const SmStep& step : warp)
        if (const SmInstruction& i = code.instructions[step.instruction]; i.unit != SmUnit::None)
          sum += cycles(i);
  return code.blocks.size() > apart ? sum / static_cast<double>(code.blocks.size() - apart) : 0;
}

}  // namespace

std::size_t SmCode::stands_for(std::uint64_t number, std::uint64_t given) const {
  const std::size_t apart = first_alone ? 1 : 0, others = blocks.size() - apart;
  return apart + (number + (given < others ? typical : 0)) % others;
}

double SmCode::steps_of(std::size_t block) const {
  double sum = 0;
  for (const auto& warp : blocks[block]) sum += static_cast<double>(warp.size());
  return sum;
}

double SmCode::slots_a_block() const {
  return mean_of_blocks(*this, [](const SmInstruction& i) { return 1 + static_cast<double>(i.hold); });
}

double SmCode::instructions_a_block() const {
  return mean_of_blocks(*this, [](const SmInstruction&) { return 1.0; });
}

}  // namespace warplens::analysis
