#include "engine/analysis/uneven_blocks.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace warplens::analysis {
namespace {

struct Mean {
  double of_block = 0, most = 0, least = 0;  // instructions
  // Blocks that have nothing to do execute until they know it, which others do not feel.
  double idle() const { return least < most / 4 ? least : 0; }
};

// Of the groups that ran.
Mean mean_of(const trace::BlockWork& work) {
  double sum = 0, blocks = 0;
  Mean out;
  for (std::size_t i = 0; i < work.instructions().size(); ++i) {
    if (work.instructions()[i] == 0) continue;
    const auto in = static_cast<double>(work.instructions()[i]);
    const auto each = static_cast<double>(std::min(work.each(), work.blocks() - i * work.each()));
    sum += in;
    blocks += each;
    out.most = std::max(out.most, in / each);
    out.least = blocks == each ? in / each : std::min(out.least, in / each);
  }
  out.of_block = blocks > 0 ? sum / blocks : 0;
  return out;
}

struct Block {
  double length = 0, executes = 0;
};

// Blocks on an SM go on at the same pace, so one clock of theirs tells for all when each of them ends.
class UnevenSm {
 public:
  explicit UnevenSm(const BlockPlaces& places) : places_(places) {}
  bool is_empty() const { return ends_.empty(); }
  void begin(double at, const Block& block) {
    go_on_to(at);
    const double part = block.executes / block.length;
    ends_.emplace(own_ + block.length, part);
    executing_ += part;
  }
  // When the next block ends.
  double next() const { return at_ + (ends_.top().first - own_) * pace(); }
  void end() {
    go_on_to(next());
    own_ = ends_.top().first;
    executing_ -= ends_.top().second;
    ends_.pop();
  }

 private:
  double pace() const { return std::max(1.0, executing_ / places_.at_once); }
  void go_on_to(double at) {
    if (!ends_.empty()) own_ += (at - at_) / pace();
    at_ = at;
  }

  BlockPlaces places_;
  double at_ = 0, own_ = 0, executing_ = 0;
  using End = std::pair<double, double>;  // by the SM's own clock; the part of its time in which it executes
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

double time_of(const trace::BlockWork& work, const BlockPlaces& places, const Mean& mean) {
  std::vector<UnevenSm> sms(static_cast<std::size_t>(places.sms), UnevenSm(places));
  using Next = std::pair<double, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> ends;  // of each SM that runs
  std::uint64_t block = 0;
  const auto work_of_next = [&] {
    const std::uint64_t group = block / work.each();
    const auto of_group = static_cast<double>(work.instructions()[group]);
    const auto each = static_cast<double>(std::min(work.each(), work.blocks() - group * work.each()));
    ++block;
    const double executes = of_group > 0 ? of_group / each : mean.of_block;
    return Block{std::max(executes + places.besides, 1.0), executes - mean.idle()};
  };
  for (int row = 0; row < places.resident; ++row)
    for (UnevenSm& sm : sms)
      if (block < work.blocks()) sm.begin(0, work_of_next());
  for (std::size_t s = 0; s < sms.size(); ++s)
    if (!sms[s].is_empty()) ends.emplace(sms[s].next(), s);
  double now = 0;
  while (!ends.empty()) {
    const std::size_t s = ends.top().second;
    now = ends.top().first;
    ends.pop();
    sms[s].end();
    if (block < work.blocks()) sms[s].begin(now, work_of_next());
    if (!sms[s].is_empty()) ends.emplace(sms[s].next(), s);
  }
  return now;
}

// Blocks that are all alike, of the SM that is given most.
double even_time(const trace::BlockWork& work, const BlockPlaces& places, const Mean& mean) {
  const auto sms = static_cast<std::uint64_t>(places.sms),
             resident = static_cast<std::uint64_t>(places.resident);
  const std::uint64_t most = (work.blocks() + sms - 1) / sms;
  const double length = mean.of_block + places.besides;
  const auto takes = [&](std::uint64_t at_once) {
    return at_once == 0 ? 0
                        : std::max(length, static_cast<double>(at_once) * (mean.of_block - mean.idle()) /
                                               places.at_once);
  };
  return static_cast<double>(most / resident) * takes(resident) + takes(most % resident);
}

bool is_told(const BlockPlaces& places) {
  return places.sms > 0 && places.resident > 0 && places.at_once > 0;
}

}  // namespace

bool is_uneven(const trace::BlockWork& work, const BlockPlaces& places) {
  constexpr double kWorth = 1.1;
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 18;  // of more the last ones do not matter
  const Mean mean = mean_of(work);
  if (mean.of_block <= 0 || !is_told(places) || work.blocks() > kMostBlocks) return false;
  const double rounds =
      std::max(1.0, static_cast<double>(work.blocks()) / (static_cast<double>(places.sms) * places.resident));
  return mean.most + places.besides > (mean.of_block + places.besides) * (1 + (kWorth - 1) * rounds);
}

LaunchLength launch_length(const trace::BlockWork& work, const BlockPlaces& places) {
  const Mean mean = mean_of(work);
  if (mean.of_block <= 0 || !is_told(places)) return {};
  return {time_of(work, places, mean), even_time(work, places, mean)};
}

}  // namespace warplens::analysis
