#include "engine/analysis/typical_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warplens::analysis {
namespace {

double work_of(const trace::BlockWork& work, std::uint64_t block) {
  return static_cast<double>(work.instructions()[block]);
}

// Each block was counted, by itself, and some execute more than others; not only the last ones, as where the
// grid covers a little more than there is to do.
bool differ(const trace::BlockWork& work) {
  constexpr std::size_t kOf = 100;  // one of so many may be anything
  if (work.each() != 1 || work.instructions().empty()) return false;
  std::vector<std::uint64_t> all = work.instructions();
  std::ranges::sort(all);
  const std::size_t few = all.size() / kOf;
  const auto least = static_cast<double>(all[few]), most = static_cast<double>(all[all.size() - 1 - few]);
  return all.front() > 0 && most > kBlocksAlike * least;
}

// How many blocks of the launch execute so much, ascending. Of those that are all unlike some that lie beside
// each other are one.
struct Kind {
  double executed = 0, blocks = 0;
};
std::vector<Kind> kinds_of(const trace::BlockWork& work) {
  constexpr std::size_t kMost = 1024;
  std::vector<std::uint64_t> all = work.instructions();
  std::ranges::sort(all);
  const std::size_t each = (all.size() + kMost - 1) / kMost;
  std::vector<Kind> out;
  std::size_t begun = 0;
  for (std::size_t b = 0; b < all.size(); ++b) {
    const bool alike = b > 0 && all[b] == all[b - 1];
    if (!alike && (b == 0 || b - begun >= each)) out.push_back({static_cast<double>(all[b]), 0}), begun = b;
    ++out.back().blocks;
  }
  return out;
}

// Stored blocks by what they execute; those that a block is as like as the nearest take turns.
class Alike {
 public:
  Alike(const trace::BlockWork& work, std::span<const std::uint64_t> stored) {
    for (const std::uint64_t block : stored) works_.push_back(work_of(work, block));
    turns_.resize(stored.size());
  }
  std::size_t next(double executed) {
    constexpr double kAsLike = 0.1;  // of what it executes
    double least = std::numeric_limits<double>::max();
    for (const double work : works_) least = std::min(least, std::fabs(work - executed));
    std::size_t chosen = works_.size();
    for (std::size_t s = 0; s < works_.size(); ++s)
      if (std::fabs(works_[s] - executed) <= least + kAsLike * executed &&
          (chosen == works_.size() || turns_[s] < turns_[chosen]))
        chosen = s;
    ++turns_[chosen];
    return chosen;
  }

 private:
  std::vector<double> works_;
  std::vector<std::uint64_t> turns_;
};

}  // namespace

double anywhere(std::size_t n) {
  return std::fmod(0.6180339887 * static_cast<double>(n), 1.0);
}

std::vector<std::uint64_t> blocks_like_all(const trace::BlockWork& work,
                                           std::span<const std::uint64_t> recorded, std::size_t most) {
  if (!differ(work)) return {};
  const std::vector<Kind> all = kinds_of(work);
  std::vector<double> away(all.size(),
                           std::numeric_limits<double>::max());  // from the nearest that is chosen
  std::vector<std::uint64_t> out;
  // What the blocks of its kind do more than the least, for each that would then be chosen of them.
  const auto weight = [&](std::uint64_t block) {
    const double executed = work_of(work, block);
    const auto kind = std::ranges::lower_bound(all, executed, {}, &Kind::executed);
    if (kind == all.end() || kind->executed != executed) return 0.0;
    const auto there =
        std::ranges::count_if(out, [&](std::uint64_t b) { return work_of(work, b) == executed; });
    return kind->blocks * (executed - all.front().executed) / static_cast<double>(1 + there);
  };
  double before = std::numeric_limits<double>::max();
  while (out.size() < std::min(most, recorded.size())) {
    double best = std::numeric_limits<double>::max(), heaviest = 0;
    std::uint64_t chosen = 0;
    for (const std::uint64_t block : recorded) {
      if (std::ranges::find(out, block) != out.end()) continue;
      double left = 0;
      for (std::size_t k = 0; k < all.size(); ++k)
        left += all[k].blocks * std::min(away[k], std::fabs(all[k].executed - work_of(work, block)));
      // Where each kind has one, those have more that do more.
      const double its = left < before ? 0 : weight(block);
      if (left < best || (left == best && its > heaviest)) best = left, heaviest = its, chosen = block;
    }
    before = best;
    out.push_back(chosen);
    for (std::size_t k = 0; k < all.size(); ++k)
      away[k] = std::min(away[k], std::fabs(all[k].executed - work_of(work, chosen)));
  }
  std::ranges::sort(out);
  return out;
}

std::optional<BlockOrder> order_of_sm(const trace::BlockWork& work, std::span<const std::uint64_t> stored,
                                      int sms) {
  const std::uint64_t blocks = work.blocks(), given = static_cast<std::uint64_t>(std::max(1, sms));
  if (blocks <= given || stored.empty() || !differ(work)) return std::nullopt;
  std::vector<double> done(given, 0);
  BlockOrder out;
  out.shares.assign(stored.size(), 0);
  Alike of_launch(work, stored), of_sm(work, stored);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    done[block % given] += work_of(work, block);
    out.shares[of_launch.next(work_of(work, block))] += 1 / static_cast<double>(blocks);
  }
  const double sum = std::accumulate(done.begin(), done.end(), 0.0);
  const double typical = std::inner_product(done.begin(), done.end(), done.begin(), 0.0) / sum;
  // Of those that are given most blocks.
  const std::uint64_t full = blocks % given == 0 ? given : blocks % given;
  std::uint64_t sm = 0;
  for (std::uint64_t s = 1; s < full; ++s)
    if (std::fabs(done[s] - typical) < std::fabs(done[sm] - typical)) sm = s;
  for (std::uint64_t block = sm; block < blocks; block += given)
    out.of_sm.push_back(static_cast<std::uint32_t>(of_sm.next(work_of(work, block))));
  return out;
}

}  // namespace warplens::analysis
