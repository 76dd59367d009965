// What a run of the model of an SM says of itself.
#include <algorithm>
#include <array>

#include "engine/analysis/sm_simulation.h"

namespace warplens::analysis {

std::string_view name(SmStall stall) {
  static constexpr std::array<std::string_view, kSmStalls> kNames{
      "selected",         "not_selected", "wait",         "long_scoreboard",    "short_scoreboard",
      "barrier",          "lg_throttle",  "mio_throttle", "math_pipe_throttle", "dispatch_stall",
      "branch_resolving", "drain",        "imc_miss",     "no_instruction",     "membar",
      "sleeping"};
  return kNames[static_cast<std::size_t>(stall)];
}

double SmRun::utilisation() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : issued) sum += n;
  double slots = 0;
  for (const std::int64_t n : active) slots += static_cast<double>(n);
  return slots > 0 ? std::min(1.0, static_cast<double>(sum) / slots) : 0;
}

std::vector<int> loads_in_flight(const SmRun& run) {
  const auto last = static_cast<std::size_t>(std::clamp<std::int64_t>(run.recorded, 0, 1 << 22));
  std::vector<int> out(last + 1, 0);
  const auto at = [&](std::int64_t cycle) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(cycle, 0, static_cast<std::int64_t>(last)));
  };
  for (const SmFlight& f : run.flights) ++out[at(f.begin)], --out[at(f.end)];
  for (std::size_t cycle = 1; cycle < out.size(); ++cycle) out[cycle] += out[cycle - 1];
  return out;
}

}  // namespace warplens::analysis
