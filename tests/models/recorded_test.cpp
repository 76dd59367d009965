// The modelled numbers against the recording that comes with the program
// (assets/recordings/nvidia-h200.json): launches of the gallery at other sizes than those of the suite,
// mostly long ones, with counters that the program itself read. No constant was fitted on them. recorded.txt
// in the build folder has every launch.
//
// WARPLENS_POINTS_OF=stride takes the timed points of one kernel alone.
// WARPLENS_RECORDED_MOST=1e8 takes longer launches as well: of so many warp instructions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "app/model/recording/recording.h"
#include "tests/golden_waits.h"
#include "tests/models/figures.h"
#include "tests/models/suite.h"
#include "tests/support/places.h"

namespace warplens::models {
namespace {

// The launches of kernels whose text does not depend on a slider, so that the suite's PTX is theirs.
class Recorded {
 public:
  Recorded() {
    auto gallery = model::load_gallery();
    auto recording = model::load_recording(assets_folder() / "recordings" / "nvidia-h200.json");
    if (!gallery || !recording) throw std::runtime_error("no gallery or no recording");
    gallery_ = std::move(*gallery);
    recording_ = std::move(*recording);
    for (const Case& c : load_suite().launches)
      registers_[c.launch.kernel] = c.counter("launch__registers_per_thread");
  }
  // Those whose counters were read.
  std::vector<Case> launches(double most_instructions) const {
    return cases([&](const model::RecordedKernel& kernel, std::vector<Case>& out) {
      for (const model::RecordedCounters& read : kernel.counters) {
        if (read.reading.value("smsp__inst_executed.sum") > most_instructions) continue;
        Case c = at(kernel, read.values);
        for (const auto& [name, value] : read.reading.values) c.counters[name] = value;
        out.push_back(std::move(c));
      }
    });
  }
  // All that were timed and took so long, one in `every` of them.
  std::vector<Case> points(double least_us, double most_us, std::size_t every) const {
    std::size_t number = 0;
    const char* const named = std::getenv("WARPLENS_POINTS_OF");
    const std::string only = named != nullptr ? named : "";
    return cases([&](const model::RecordedKernel& kernel, std::vector<Case>& out) {
      for (const auto& point : kernel.points) {
        const double us = 1e3 * point.warm.median;
        const bool taken = us > least_us && us <= most_us && (only.empty() || kernel.id == only);
        if (taken && number++ % every == 0) out.push_back(at(kernel, point.values));
      }
    });
  }

  double empty_kernel_us() const { return 1e3 * recording_.empty_kernel; }

 private:
  template <typename Add>
  std::vector<Case> cases(const Add& add) const {
    std::vector<Case> out;
    for (const model::RecordedKernel& recorded : recording_.kernels) {
      const model::GalleryKernel* const kernel = gallery_.find(recorded.id);
      Case c;
      c.suite = "models";
      c.file = recorded.id;
      if (kernel != nullptr && kernel->defines.empty() && std::filesystem::exists(machine_file(c)))
        add(recorded, out);
    }
    return out;
  }
  Case at(const model::RecordedKernel& recorded, const std::vector<std::int64_t>& values_in_order) const {
    Case c;
    c.suite = "models";
    c.file = c.id = recorded.id;
    model::SliderValues values;
    for (std::size_t i = 0; i < recorded.sliders.size(); ++i) {
      values[recorded.sliders[i]] = values_in_order[i];
      c.id += fmt::format("{}{}", i == 0 ? ':' : ',', values_in_order[i]);
    }
    auto bound = model::launch_of(*gallery_.find(recorded.id), values);
    if (!bound) throw std::runtime_error(c.id + ": " + bound.error().text());
    c.launch = std::move(bound->launch);
    const auto registers = registers_.find(c.launch.kernel);
    c.counters["launch__registers_per_thread"] = registers == registers_.end() ? 0 : registers->second;
    if (const auto* point = recorded.find(values)) {
      c.warm_us = 1e3 * point->warm.median;
      if (point->cold) c.flushed_us = 1e3 * point->cold->median;
    }
    return c;
  }

  model::Gallery gallery_;
  model::Recording recording_;
  std::map<std::string, double> registers_;
};

struct TimeOff {
  std::vector<double> sizes;
  std::size_t pairs = 0, right = 0;  // of the same kernel, measured more than a fifth apart
  std::vector<std::array<double, 2>> of_kernel;
  std::string kernel;

  void add(const Case& c, double ours, double theirs) {
    if (kernel != c.file) of_kernel.clear();
    kernel = c.file;
    for (const auto& [mine, golden] : of_kernel) {
      if (theirs < 1.2 * golden && golden < 1.2 * theirs) continue;
      ++pairs;
      right += (ours > mine) == (theirs > golden) ? 1 : 0;
    }
    of_kernel.push_back({ours, theirs});
    sizes.push_back(std::fabs(ours / theirs - 1));
  }
  std::string text(const char* what) const {
    return fmt::format(
        "recorded points, {}: {} launches, median error {:.3f}, p90 {:.3f}; pairs of one kernel that differ "
        "by "
        "more than a fifth: {} of {} in order\n",
        what, sizes.size(), percentile(sizes, 0.5), percentile(sizes, 0.9), right, pairs);
  }
};

double number_from(const char* variable, double without) {
  const char* const set = std::getenv(variable);
  return set != nullptr ? std::atof(set) : without;
}

struct PointsOff {
  TimeOff flushed, warm;

  PointsOff(const std::vector<Case>& points, const char* file) {
    std::ofstream log(std::filesystem::path(tests::binary_dir()) / file);
    for (const Case& c : points) {
      if (contends(c)) continue;
      const States m = modelled_states(*run_of(c), "H200 SXM", true);
      if (!m.flushed || !m.flushed->time || !m.warm || !m.warm->time) continue;
      warm.add(c, m.warm->time->us, c.warm_us);
      if (c.flushed_us > 0) flushed.add(c, m.flushed->time->us, c.flushed_us);
      log << fmt::format("{:44} warm {:8.3f} {:8.3f} {:+.3f} flushed {:8.3f} {:8.3f} {:+.3f}", c.id,
                         m.warm->time->us, c.warm_us, m.warm->time->us / c.warm_us - 1, m.flushed->time->us,
                         c.flushed_us, c.flushed_us > 0 ? m.flushed->time->us / c.flushed_us - 1 : 0.0);
      for (std::size_t p = 0; p < analysis::kTimeParts; ++p)
        log << fmt::format(" {} {:.1f}", analysis::name(static_cast<analysis::TimePart>(p)),
                           m.warm->time->parts[p]);
      log << '\n';
    }
    std::cout << flushed.text("flushed") << warm.text("warm");
  }

 private:
  // Locks and compare-and-swap: how often a thread tries again the emulator does not know, and the page says
  // so.
  static bool contends(const Case& c) {
    return c.warm_us > kShort && (c.file == "spin_lock" || c.file == "global_atomics");
  }

 public:
  static constexpr double kShort = 12;  // µs
};

// What a slider does to the time, as the window shows it: at the sizes that it opens with and at others,
// behind an emptied L2 and one launch after the other. WARPLENS_POINTS_EVERY=1 takes every point instead of
// one in eight. points.txt in the build folder has each.
TEST(Models, EverySliderOfTheRecordingMovesTheTime) {
  const auto every = static_cast<std::size_t>(number_from("WARPLENS_POINTS_EVERY", 8));
  const PointsOff off(Recorded().points(0, PointsOff::kShort, every), "points.txt");
  EXPECT_GE(off.warm.sizes.size(), 150u);
  EXPECT_LE(percentile(off.flushed.sizes, 0.5), 0.04);
  EXPECT_LE(percentile(off.flushed.sizes, 0.9), 0.14);
  EXPECT_LE(percentile(off.warm.sizes, 0.5), 0.06);
  EXPECT_LE(percentile(off.warm.sizes, 0.9), 0.16);
  EXPECT_GE(100 * off.flushed.right, 95 * off.flushed.pairs);
  EXPECT_GE(100 * off.warm.right, 95 * off.warm.pairs);
}

// The same of launches that are long enough for a clock: what a page's time says when its effect is shown.
// One in forty; WARPLENS_LONG_POINTS_EVERY=1 all of them. long_points.txt has each.
TEST(Models, EverySliderMovesTheTimeAtTheSizeOfAClock) {
  const auto every = static_cast<std::size_t>(number_from("WARPLENS_LONG_POINTS_EVERY", 40));
  const PointsOff off(Recorded().points(PointsOff::kShort, 400, every), "long_points.txt");
  EXPECT_GE(off.warm.sizes.size(), 20u);
  EXPECT_LE(percentile(off.flushed.sizes, 0.5), 0.06);
  EXPECT_LE(percentile(off.flushed.sizes, 0.9), 0.25);
  EXPECT_LE(percentile(off.warm.sizes, 0.5), 0.05);
  EXPECT_LE(percentile(off.warm.sizes, 0.9), 0.25);
}

// What a slider does to what warps wait for: the shares that an H200 counts, one launch of six.
// WARPLENS_STATES_EVERY=1 takes all. slider_states.txt has each.
TEST(Models, EverySliderMovesWhatWarpsWaitFor) {
  const auto every = static_cast<std::size_t>(number_from("WARPLENS_STATES_EVERY", 6));
  const auto read = tests::waits_of("sliders_h200.txt", "; ");
  std::ofstream log(std::filesystem::path(tests::binary_dir()) / "slider_states.txt");
  std::size_t launches = 0, right = 0, others = 0, others_right = 0, number = 0;
  double apart = 0;
  for (const Case& c : Recorded().points(0, 1e6, 1)) {
    const auto found = read.find(c.id);
    if (found == read.end() || number++ % every != 0) continue;
    const auto model = modelled(c);
    if (!model || !model->time) continue;
    const analysis::SmRun& sm = model->time->sm;
    std::map<std::string, double> ours;
    double all = 0;
    for (std::size_t s = 0; s < analysis::kSmStalls; ++s) all += sm.stalls[s];
    for (std::size_t s = 0; s < analysis::kSmStalls; ++s)
      ours[std::string(analysis::name(static_cast<analysis::SmStall>(s)))] = sm.stalls[s] / all;
    const auto larger = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto first = std::ranges::max_element(ours, larger)->first;
    const auto theirs = std::ranges::max_element(found->second, larger)->first;
    double off = 0;
    for (const auto& [reason, share] : found->second) off += std::max(0.0, share - ours[reason]);
    log << fmt::format("{:44} {} {:.3f} {} {:.3f} {}", c.id, first == theirs ? "ok " : "BAD", off, theirs,
                       found->second.at(theirs), first);
    for (const auto& [reason, share] : ours)
      if (share > 0.05) log << fmt::format(" {} {:.3f}", reason, share);
    log << '\n';
    ++launches, right += first == theirs ? 1 : 0, apart += off;
    if (theirs != "long_scoreboard") ++others, others_right += first == theirs ? 1 : 0;
  }
  std::cout << fmt::format(
      "slider states: first reason right in {} of {}, where it is not long_scoreboard in {} of {}; "
      "{:.1f} % of the cycles stand under another reason\n",
      right, launches, others_right, others, 100 * apart / static_cast<double>(launches));
  EXPECT_GE(launches, 80u);
  EXPECT_GE(100 * right, 86 * launches);
  EXPECT_GE(100 * others_right, 75 * others);
  EXPECT_LE(apart / static_cast<double>(launches), 0.09);
}

// What the profiler's speed of light says of the part that the verdict names: at least 60 %, which is where
// it calls a launch bound by it, and below 70 % in all parts where the verdict is latency or too few blocks.
class SpeedOfLight {
 public:
  explicit SpeedOfLight(const Case& of) : of_(of) {}

  // Nothing where it cannot tell: atomics have no counter of their own there.
  std::optional<bool> agrees(analysis::Verdict verdict, double empty_us) const {
    using analysis::Verdict;
    constexpr double kBound = 60, kNotBound = 70;
    switch (verdict) {
      case Verdict::Launch:
        return of_.flushed_us > 0 && empty_us >= 0.5 * of_.flushed_us;
      case Verdict::TooFewBlocks:
      case Verdict::Latency:
        return std::max({sm(), l1(), l2(), dram()}) < kNotBound;
      case Verdict::Lsu:
        return l1() >= kBound;
      case Verdict::L2:
        return l2() >= kBound;
      case Verdict::Dram:
        return dram() >= kBound;
      case Verdict::Issue:
        return part("sm__inst_issued") >= kBound;
      case Verdict::Unit:
        return sm() >= kBound;
      case Verdict::Atomics:
        break;
    }
    return {};
  }
  std::string text() const {
    return fmt::format("sm {:.0f} issued {:.0f} l1 {:.0f} l2 {:.0f} dram {:.0f}", sm(),
                       part("sm__inst_issued"), l1(), l2(), dram());
  }

 private:
  double part(const std::string& of) const { return of_.counter(of + ".avg.pct_of_peak_sustained_elapsed"); }
  double sm() const { return part("sm__throughput"); }
  double l1() const { return part("l1tex__throughput"); }
  double l2() const { return part("lts__throughput"); }
  double dram() const { return part("dram__throughput"); }

  const Case& of_;
};

TEST(Models, RecordedLaunchesThatNothingWasFittedOn) {
  std::ofstream log(std::filesystem::path(tests::binary_dir()) / "recorded.txt");
  StallFigures stalls;
  std::vector<double> errors, long_errors, l2, dram;
  const Recorded recorded;
  std::size_t verdicts = 0, agreed = 0;
  const std::vector<Case> launches = recorded.launches(number_from("WARPLENS_RECORDED_MOST", 1e7));
  for (const Case& c : launches) {
    const Row row{&c, modelled(c)};
    if (!row.modelled || !row.modelled->time || !row.modelled->caches) continue;
    log << stalls.add(row);
    const SpeedOfLight light(c);
    const analysis::Verdict verdict = row.modelled->time->verdict;
    if (const auto agrees = light.agrees(verdict, recorded.empty_kernel_us())) {
      ++verdicts;
      agreed += *agrees ? 1 : 0;
      log << fmt::format("verdict    {:36} {} {} {}\n", c.id, *agrees ? "ok " : "BAD",
                         analysis::name(verdict), light.text());
    }
    if (c.flushed_us > 0) {
      errors.push_back(std::fabs(row.modelled->time->us / c.flushed_us - 1));
      if (c.flushed_us > 10) long_errors.push_back(errors.back());
      log << fmt::format("time       {:36} {:9.3f} {:9.3f} {:+.3f}\n", c.id, row.modelled->time->us,
                         c.flushed_us, row.modelled->time->us / c.flushed_us - 1);
    }
    const auto off = [&](const char* what, double ours, const char* counter, std::vector<double>& to) {
      const double theirs = c.counter(counter);
      if (theirs < 64) return;
      to.push_back(std::fabs(ours / theirs - 1));
      log << fmt::format("{:10} {:36} {:12.4g} {:12.4g} {:+.3f}\n", what, c.id, ours, theirs,
                         ours / theirs - 1);
    };
    off("l2 reads", row.modelled->caches->l2_read_sectors, "lts__t_sectors_srcunit_tex_op_read.sum", l2);
    off("dram", row.modelled->caches->dram_read_bytes, "dram__bytes_read.sum", dram);
  }
  std::cout
      << stalls.text()
      << fmt::format(
             "time of {}: median error {:.3f}, p90 {:.3f}; {} above 10 us: {:.3f}, {:.3f}; L2 reads of {} "
             "within 10 % {:.3f}; DRAM reads of {} {:.3f}\n",
             errors.size(), percentile(errors, 0.5), percentile(errors, 0.9), long_errors.size(),
             percentile(long_errors, 0.5), percentile(long_errors, 0.9), l2.size(), share(l2, 0.1),
             dram.size(), share(dram, 0.1))
      << fmt::format("verdicts: the profiler's speed of light says the same of {} of {}\n", agreed, verdicts);
  EXPECT_GE(stalls.launches, 30u);
  EXPECT_GE(100 * stalls.right, 85 * stalls.launches);
  EXPECT_GE(share(stalls.long_off, 0.15), 0.8);
  EXPECT_LE(percentile(errors, 0.5), 0.08);
  EXPECT_LE(percentile(errors, 0.9), 0.3);
  EXPECT_LE(percentile(long_errors, 0.5), 0.15);
  EXPECT_GE(verdicts, 30u);
  EXPECT_GE(100 * agreed, 83 * verdicts);
  EXPECT_GE(share(l2, 0.1), 0.89);
  EXPECT_GE(share(dram, 0.1), 0.82);
}

}  // namespace
}  // namespace warplens::models
