#include <algorithm>
#include <array>
#include <bit>

#include "engine/analysis/patterns.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;

constexpr int kBanks = 4;

// The lanes waiting at one tag bank, in lane order.
class Queue {
 public:
  void add(std::uint64_t address) { waiting_[static_cast<std::size_t>(count_++)] = address; }

  // Serves everybody; `unit` is the shift of what one pass visits, a line or half of one.
  void drain(int bytes, int unit, AtomicVisits& out) {
    int passes = 0;
    for (; count_ > 0; ++passes) serve(bytes, unit, out.sectors);
    out.lines += static_cast<std::uint64_t>(passes);
    out.wavefronts = std::max(out.wavefronts, passes);
  }

 private:
  static std::uint32_t slots_of(std::uint64_t address, int bytes) {
    const int first = static_cast<int>(address >> 2 & 31u), words = bytes > 4 ? bytes / 4 : 1;
    return ((words >= 32 ? 0u : 1u << words) - 1u) << first;
  }

  void serve(int bytes, int unit, std::uint64_t& sectors) {
    const std::uint64_t visited = waiting_[0] >> unit;
    std::uint32_t held = 0;     // slots that a lower lane holds
    std::uint32_t touched = 0;  // sectors of the line
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const std::uint64_t address = waiting_[static_cast<std::size_t>(i)];
      const std::uint32_t slots = slots_of(address, bytes);
      const bool served = address >> unit == visited && (held & slots) == 0;
      held |= slots;
      if (served)
        touched |= 1u << (address >> 5 & 3u);
      else
        waiting_[static_cast<std::size_t>(kept++)] = address;
    }
    count_ = kept;
    sectors += static_cast<std::uint64_t>(std::popcount(touched));
  }

  std::array<std::uint64_t, kWarpSize> waiting_;
  int count_ = 0;
};

}  // namespace

int tag_bank(std::uint64_t line) {
  constexpr std::uint64_t kLinesOf2MiB = (std::uint64_t{2} << 20) / 128;
  const std::uint64_t number = line % kLinesOf2MiB;
  return (std::popcount(number & 0x15DAu) & 1) + 2 * (std::popcount(number & 0x0F6Fu) & 1);
}

AtomicVisits visit_atomics(SiteKind kind, int bytes, LaneMask active, const std::uint64_t* addresses) {
  std::array<Queue, kBanks> queues;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[std::countr_zero(left)];
    queues[static_cast<std::size_t>(tag_bank(address >> 7))].add(address);
  }
  AtomicVisits out;
  const int unit = kind == SiteKind::CompareAndSwap ? 6 : 7;
  for (Queue& queue : queues) queue.drain(bytes, unit, out);
  return out;
}

}  // namespace warplens::analysis
