// What stops the next block from fitting on an SM, and the smallest change that would let it in.

#include <algorithm>

#include "engine/analysis/explain_parts.h"
#include "engine/analysis/explanations.h"

namespace warplens::analysis {
namespace {

class OccupancyExplainer {
 public:
  OccupancyExplainer(const ComputeCapability& cc, const KernelResources& kernel, const Occupancy& now)
      : cc_(cc), kernel_(kernel), now_(now) {}

  std::vector<Message> explain() {
    if (now_.blocks_per_sm == 0) {
      for (const SmResource limiter : now_.limiters) impossible(limiter);
      return std::move(out_);
    }
    say("occupancy.result", {{"blocks", value_of(now_.blocks_per_sm)},
                             {"warps_per_block", value_of(now_.warps_per_block)},
                             {"warps", value_of(now_.warps_per_sm)},
                             {"most", value_of(cc_.warps_per_sm)},
                             {"percent", 100 * now_.theoretical}});
    if (now_.theoretical >= 1) {
      say("occupancy.full");
      return std::move(out_);
    }
    for (const SmResource limiter : now_.limiters) limit(limiter);
    fewer_registers();
    less_shared();
    other_block();
    return std::move(out_);
  }

 private:
  void say(const char* key, MessageValues values = {}) {
    out_.push_back(explanation(key, std::move(values)));
  }
  std::int64_t shared_bytes() const { return kernel_.static_shared + kernel_.dynamic_shared; }

  void impossible(SmResource limiter) {
    if (limiter == SmResource::Warps)
      say("occupancy.too_many_threads",
          {{"threads", value_of(kernel_.threads_per_block)}, {"most", value_of(cc_.threads_per_block)}});
    if (limiter == SmResource::Registers)
      say("occupancy.too_many_registers", {{"registers", value_of(kernel_.registers_per_thread)},
                                           {"needed", value_of(now_.allocated_registers_per_block)},
                                           {"most", value_of(cc_.registers_per_block)}});
    if (limiter == SmResource::Shared)
      say("occupancy.too_much_shared",
          {{"bytes", value_of(shared_bytes())}, {"most", value_of(cc_.shared_per_block_optin)}});
  }

  void limit(SmResource limiter) {
    const MessageValue blocks = value_of(now_.blocks_per_sm);
    if (limiter == SmResource::Registers)
      say("occupancy.registers", {{"registers", value_of(kernel_.registers_per_thread)},
                                  {"allocated", value_of(now_.allocated_registers_per_block)},
                                  {"total", value_of(cc_.registers_per_sm)},
                                  {"blocks", blocks}});
    if (limiter == SmResource::Shared)
      say("occupancy.shared", {{"bytes", value_of(shared_bytes())},
                               {"allocated", value_of(now_.allocated_shared_per_block)},
                               {"total", value_of(cc_.shared_per_sm)},
                               {"blocks", blocks}});
    if (limiter == SmResource::Warps)
      say("occupancy.warps", {{"warps_per_block", value_of(now_.warps_per_block)},
                              {"most", value_of(cc_.warps_per_sm)},
                              {"left", value_of(cc_.warps_per_sm - now_.warps_per_sm)},
                              {"blocks", blocks}});
    if (limiter == SmResource::Blocks)
      say("occupancy.blocks",
          {{"most", value_of(cc_.blocks_per_sm)}, {"threads", value_of(kernel_.threads_per_block)}});
    if (limiter == SmResource::Barriers)
      say("occupancy.barriers", {{"barriers", value_of(kernel_.barriers)}, {"blocks", blocks}});
  }

  // The largest count of registers below today's that fits more warps.
  void fewer_registers() {
    KernelResources other = kernel_;
    while (--other.registers_per_thread >= 16) {
      const Occupancy then = occupancy(cc_, other);
      if (then.warps_per_sm <= now_.warps_per_sm) continue;
      return say("occupancy.next_registers", {{"registers", value_of(other.registers_per_thread)},
                                              {"blocks", value_of(then.blocks_per_sm)},
                                              {"percent", 100 * then.theoretical}});
    }
  }

  void less_shared() {
    if (shared_bytes() == 0) return;
    KernelResources other = kernel_;
    other.dynamic_shared = 0;
    // Fewer bytes never fit fewer blocks, so the border can be bisected.
    const auto fits_more = [&](std::int64_t bytes) {
      other.static_shared = bytes;
      return occupancy(cc_, other).warps_per_sm > now_.warps_per_sm;
    };
    if (!fits_more(0)) return;
    std::int64_t fits = 0, not_fits = shared_bytes();
    while (not_fits - fits > 1) {
      const std::int64_t middle = fits + (not_fits - fits) / 2;
      (fits_more(middle) ? fits : not_fits) = middle;
    }
    other.static_shared = fits;
    const Occupancy then = occupancy(cc_, other);
    say("occupancy.next_shared", {{"bytes", value_of(fits)},
                                  {"blocks", value_of(then.blocks_per_sm)},
                                  {"percent", 100 * then.theoretical}});
  }

  // The block size nearest to today's, in whole warps, that would fill the SM better.
  void other_block() {
    KernelResources other = kernel_;
    for (int distance = 1; distance < cc_.threads_per_block / kWarpSize; ++distance)
      for (const int warps : {now_.warps_per_block + distance, now_.warps_per_block - distance}) {
        if (warps < 1 || warps * kWarpSize > cc_.threads_per_block) continue;
        other.threads_per_block = warps * kWarpSize;
        const Occupancy then = occupancy(cc_, other);
        if (then.warps_per_sm <= now_.warps_per_sm) continue;
        return say("occupancy.next_block", {{"threads", value_of(other.threads_per_block)},
                                            {"warps", value_of(then.warps_per_sm)},
                                            {"percent", 100 * then.theoretical}});
      }
  }

  const ComputeCapability& cc_;
  const KernelResources& kernel_;
  const Occupancy& now_;
  std::vector<Message> out_;
};

}  // namespace

std::vector<Message> explain_occupancy(const ComputeCapability& capability, const KernelResources& kernel,
                                       const Occupancy& occupancy) {
  return OccupancyExplainer(capability, kernel, occupancy).explain();
}

}  // namespace warplens::analysis
