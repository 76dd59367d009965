// What an SmCode says of its blocks as a whole.
#include <algorithm>

#include "engine/analysis/sm_code.h"

namespace warplens::analysis {
namespace {

// Of the blocks that stand for all, the mean of what `cycles` says of each instruction that is issued.
template <typename Cycles>
double mean_of_blocks(const SmCode& code, const Cycles& cycles) {
  double sum = 0;
  for (std::size_t b = 0; b < code.blocks.size(); ++b) {
    double of_block = 0;
    for (const auto& warp : code.blocks[b])
      for (const SmStep& step : warp)
        if (const SmInstruction& i = code.instructions[step.instruction]; i.unit != SmUnit::None)
          of_block += cycles(i);
    sum += of_block * code.share_of(b);
  }
  return sum;
}

}  // namespace

std::size_t SmCode::stands_for(std::uint64_t number, std::uint64_t given) const {
  const std::size_t apart = first_alone ? 1 : 0, others = blocks.size() - apart;
  if (!order.empty()) return apart + order[number % order.size()];
  return apart + (number + (given < others ? typical : 0)) % others;
}

double SmCode::share_of(std::size_t block) const {
  const std::size_t apart = first_alone ? 1 : 0;
  if (block < apart) return 0;
  return shares.empty() ? 1 / static_cast<double>(blocks.size() - apart) : shares[block - apart];
}

double SmCode::share_that_stores() const {
  double sum = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (std::ranges::any_of(blocks[b], [&](const std::vector<SmStep>& warp) {
          return std::ranges::any_of(warp, [&](const SmStep& step) {
            return step.access < accesses.size() && accesses[step.access].stored > 0;
          });
        }))
      sum += share_of(b);
  return sum > 0 ? sum : 1;
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
