#include "engine/ptx/syntax/circles.h"

#include <algorithm>

#include "engine/base/work_limit.h"

namespace warplens::ptx {

std::vector<std::vector<std::uint32_t>> Circles::blocks() const {
  std::vector<std::vector<std::uint32_t>> out(count);
  for (std::uint32_t b = 0; b < of.size(); ++b)
    if (of[b] != kNone) out[of[b]].push_back(b);
  return out;
}

// Tarjan's strongly connected components, without recursion.
Circles circles(const Function& function) {
  const auto n = static_cast<std::uint32_t>(function.blocks.size());
  Circles out{0, std::vector<std::uint32_t>(n, kNone)};
  std::vector<std::uint32_t> met(n, kNone), low(n, 0), stack;
  std::vector<bool> open(n, false);
  struct Visit {
    std::uint32_t block;
    std::size_t next;
  };
  std::uint32_t order = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (met[root] != kNone) continue;
    std::vector<Visit> visits;
    const auto meet = [&](std::uint32_t block) {
      met[block] = low[block] = order++;
      stack.push_back(block);
      open[block] = true;
      visits.push_back({block, 0});
    };
    meet(root);
    while (!visits.empty()) {
      work_step();
      const std::uint32_t block = visits.back().block;
      const auto& successors = function.blocks[block].successors;
      if (visits.back().next < successors.size()) {
        const std::uint32_t to = successors[visits.back().next++];
        if (to >= n) continue;
        if (met[to] == kNone)
          meet(to);
        else if (open[to])
          low[block] = std::min(low[block], met[to]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) {
        const std::uint32_t before = visits.back().block;
        low[before] = std::min(low[before], low[block]);
      }
      if (low[block] != met[block]) continue;
      const bool circle = stack.back() != block || std::ranges::find(successors, block) != successors.end();
      for (std::uint32_t of = kNone; of != block;) {
        of = stack.back();
        stack.pop_back();
        open[of] = false;
        if (circle) out.of[of] = out.count;
      }
      if (circle) ++out.count;
    }
  }
  return out;
}

}  // namespace warplens::ptx
