#include "engine/gpu/timing_warnings.h"

#include <cmath>

#include "engine/base/number_text.h"
#include "engine/base/time_text.h"

namespace warplens::gpu {
namespace {

// A run this many times as long as an empty kernel is more launch than work.
constexpr double kLaunchBound = 3.0;
constexpr double kWideSpread = 0.10;   // 5th to 95th percentile, relative to the median
constexpr double kClockChange = 0.03;  // relative

// Three warnings have one cure: the last of them that applies tells it.
void add_cure(std::vector<Message>& small, bool fits_in_l2) {
  for (Message& warning : small) warning.values.emplace_back("cure", std::vector<Message>{});
  if (!small.empty())
    small.back().values.back().second =
        value_of(Message{fits_in_l2 ? "timing.larger_or_flush" : "timing.larger", {}});
}

}  // namespace

std::vector<Message> timing_warnings(const Timing& timing, const DeviceInfo& device,
                                     const trace::Launch& launch, bool flushed_l2) {
  std::vector<Message> out;
  if (timing.median < kLaunchBound * timing.launch_overhead)
    out.push_back({"timing.launch_bound",
                   {{"time", value_of(time_text(timing.median))},
                    {"empty", value_of(time_text(timing.launch_overhead))}}});
  const std::uint64_t blocks = launch.grid.volume();
  if (blocks < static_cast<std::uint64_t>(device.sms))
    out.push_back({"timing.too_small", {{"blocks", value_of(blocks)}, {"sms", value_of(device.sms)}}});
  const bool fits_in_l2 = !flushed_l2 && timing.buffer_bytes > 0 && timing.buffer_bytes < device.l2_bytes;
  if (fits_in_l2)
    out.push_back({"timing.fits_in_l2",
                   {{"buffers", value_of(bytes_text(timing.buffer_bytes))},
                    {"l2", static_cast<double>(device.l2_bytes) / 1048576}}});
  add_cure(out, fits_in_l2);
  const int before = timing.sm_clock_before_mhz, after = timing.sm_clock_after_mhz;
  if (before > 0 && after > 0 && std::abs(after - before) > kClockChange * before)
    out.push_back({"timing.clock_changed", {{"before", value_of(before)}, {"after", value_of(after)}}});
  if (timing.median > 0 && (timing.high - timing.low) / timing.median > kWideSpread)
    out.push_back({"timing.wide_spread", {{"percent", 100.0 * (timing.high - timing.low) / timing.median}}});
  return out;
}

}  // namespace warplens::gpu
