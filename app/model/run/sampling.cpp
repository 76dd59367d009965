#include "app/model/run/sampling.h"

#include <algorithm>

namespace warplens::model {
namespace {
__extension__ using Wide = unsigned __int128;
}  // namespace

std::vector<std::uint64_t> sampled_blocks(const trace::Launch& launch, std::uint64_t wanted) {
  const std::uint64_t blocks = launch.grid.volume();
  const std::uint64_t threads = std::max<std::uint64_t>(launch.block.volume(), 1);
  if (wanted == 0) {
    if (blocks <= kThreadsRunWhole / threads) return {};
    wanted = std::clamp<std::uint64_t>(kThreadsRunWhole / threads / 16, 1, kMostSampled);
  }
  if (wanted >= blocks) return {};
  std::vector<std::uint64_t> out;
  out.reserve(wanted);
  // In 128 bits: blocks may be near 2^63.
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const auto last = static_cast<Wide>(blocks - 1);
    out.push_back(wanted == 1 ? 0 : static_cast<std::uint64_t>(last * i / (wanted - 1)));
  }
  return out;
}

}  // namespace warplens::model
