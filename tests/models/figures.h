// How far modelled numbers are from measured ones, over many launches.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/modelled.h"
#include "tests/models/suite.h"

namespace warplens::models {

struct Row {
  const Case* of = nullptr;
  std::shared_ptr<const analysis::Modelled> modelled;
};

inline double share(const std::vector<double>& errors, double within) {
  const auto n = std::ranges::count_if(errors, [&](double e) { return std::fabs(e) <= within; });
  return errors.empty() ? 1 : static_cast<double>(n) / static_cast<double>(errors.size());
}

inline double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(p * static_cast<double>(values.size())))];
}

inline double rank_correlation(std::vector<double> a, std::vector<double> b) {
  const auto ranks = [](const std::vector<double>& v) {
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      for (const double other : v) out[i] += other < v[i] ? 1 : other == v[i] ? 0.5 : 0;
    return out;
  };
  const auto x = ranks(a), y = ranks(b);
  const double n = static_cast<double>(x.size()), mean = n / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

// Issued slots of those in which a scheduler had a warp, as the GPU counted them.
inline double counted_utilisation(const Case& of) {
  if (const double percent = of.counter("smsp__issue_active.avg.pct_of_peak_sustained_active"); percent > 0)
    return percent / 100;
  return of.counter("smsp__issue_active.sum") / (528 * std::max(1.0, of.counter("smsp__cycles_active.avg")));
}

// Warps of the launch, and those that the model's SM is given.
inline double warps_of(const Case& of) {
  return static_cast<double>(of.launch.grid.volume() * ((of.launch.block.volume() + 31) / 32));
}
inline double warps_of_sm(const Case& of) {
  return static_cast<double>((of.launch.grid.volume() + 131) / 132 * ((of.launch.block.volume() + 31) / 32));
}

// The reason that most warps of a launch waited for, by the profiler.
inline std::string top_reason(const Case& of) {
  std::string most;
  double best = 0;
  for (std::size_t i = 0; i < analysis::kSmStalls; ++i) {
    const std::string name(analysis::name(static_cast<analysis::SmStall>(i)));
    const double cycles = of.counter("smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio");
    if (cycles > best) best = cycles, most = name;
  }
  return most;
}

// The reason that most warps waited for, and how much of all that was the long scoreboard.
struct StallFigures {
  std::size_t launches = 0, right = 0, others = 0, others_right = 0;
  std::size_t counted = 0, instructions = 0;   // whose instructions were counted; within 2 % of them
  std::vector<double> long_off, ours, theirs;  // shares; utilisation

  std::string add(const Row& row) {
    const analysis::SmRun& run = row.modelled->time->sm;
    double all = 0, golden_all = 0;
    for (const double s : run.stalls) all += s;
    for (const auto& [name, value] : row.of->counters)
      if (name.find("_stalled_") != std::string::npos) golden_all += value;
    const double a_warp = 1 / (warps_of_sm(*row.of) * run.done);
    const double golden_a_warp = row.of->counter("smsp__inst_issued.sum") / warps_of(*row.of);
    const std::string golden_most = top_reason(*row.of);
    std::string most, detail;
    double best = 0;
    for (std::size_t i = 0; i < analysis::kSmStalls; ++i) {
      const std::string name(analysis::name(static_cast<analysis::SmStall>(i)));
      const double golden =
          row.of->counter("smsp__average_warps_issue_stalled_" + name + "_per_issue_active.ratio") /
          golden_all;
      const double mine = run.stalls[i] / all;
      if (mine > best) best = mine, most = name;
      if (mine > 0.05 || golden > 0.05)
        detail += fmt::format(" {} {:.2f}/{:.2f} ({:.0f}/{:.0f})", name, mine, golden, run.stalls[i] * a_warp,
                              golden * golden_all * golden_a_warp);
      if (name == "long_scoreboard") long_off.push_back(mine - golden);
    }
    ++launches;
    right += most == golden_most ? 1 : 0;
    if (golden_most != "long_scoreboard") ++others, others_right += most == golden_most ? 1 : 0;
    ours.push_back(run.utilisation());
    theirs.push_back(counted_utilisation(*row.of));
    const double issued = run.stalls[static_cast<std::size_t>(analysis::SmStall::Selected)] * a_warp;
    const double executed = row.of->counter("smsp__inst_executed.sum") / warps_of(*row.of);
    counted += executed > 0 ? 1 : 0;
    instructions += executed > 0 && std::fabs(issued - executed) <= 0.02 * executed ? 1 : 0;
    return fmt::format("{:10} {:36} {} util {:.3f}/{:.3f} instructions {:.1f}/{:.1f}{}\n", "stalls",
                       row.of->id, most == golden_most ? "ok " : "BAD", ours.back(), theirs.back(), issued,
                       executed, detail);
  }
  double utilisation() const { return rank_correlation(ours, theirs); }
  std::string text() const {
    return fmt::format(
        "stalls: top reason right in {} of {}, where it is not long_scoreboard in {} of {}; long scoreboard "
        "within 15 points {:.3f}; issue utilisation: rank correlation {:.3f}; instructions within 2 % in "
        "{} of {}\n",
        right, launches, others_right, others, share(long_off, 0.15), utilisation(), instructions, counted);
  }
};

}  // namespace warplens::models
