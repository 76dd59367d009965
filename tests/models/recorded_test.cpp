// The modelled numbers against the recording that comes with the program
// (assets/recordings/nvidia-h200.json): launches of the gallery at other sizes than those of the suite,
// mostly long ones, with counters that the program itself read. No constant was fitted on them. recorded.txt
// in the build folder has every launch.
//
// WARPLENS_RECORDED_MOST=1e8 takes longer launches as well: of so many warp instructions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/model/gallery/gallery.h"
#include "app/model/recording/recording.h"
#include "tests/models/figures.h"
#include "tests/models/suite.h"
#include "tests/support/places.h"

namespace warplens::models {
namespace {

double most_instructions() {
  const char* const set = std::getenv("WARPLENS_RECORDED_MOST");
  return set != nullptr ? std::atof(set) : 3e6;
}

// Kernels whose text does not depend on a slider, so that the suite's PTX is theirs.
std::vector<Case> recorded_launches() {
  const auto gallery = model::load_gallery();
  const auto recording = model::load_recording(assets_folder() / "recordings" / "nvidia-h200.json");
  if (!gallery || !recording) throw std::runtime_error("no gallery or no recording");
  std::map<std::string, double> registers;
  for (const Case& c : load_suite().launches)
    registers[c.launch.kernel] = c.counter("launch__registers_per_thread");
  std::vector<Case> out;
  for (const model::RecordedKernel& recorded : recording->kernels) {
    const model::GalleryKernel* const kernel = gallery->find(recorded.id);
    if (kernel == nullptr || !kernel->defines.empty()) continue;
    for (const model::RecordedCounters& read : recorded.counters) {
      Case c;
      c.suite = "models";
      c.file = c.id = recorded.id;
      if (!std::filesystem::exists(machine_file(c)) ||
          read.reading.value("smsp__inst_executed.sum") > most_instructions())
        continue;
      model::SliderValues values;
      for (std::size_t i = 0; i < recorded.sliders.size(); ++i) {
        values[recorded.sliders[i]] = read.values[i];
        c.id += fmt::format("{}{}", i == 0 ? ':' : ',', read.values[i]);
      }
      auto bound = model::launch_of(*kernel, values);
      if (!bound) throw std::runtime_error(c.id + ": " + bound.error().text());
      c.launch = std::move(bound->launch);
      for (const auto& [name, value] : read.reading.values) c.counters[name] = value;
      c.counters["launch__registers_per_thread"] = registers[c.launch.kernel];
      if (const auto* point = recorded.find(values); point != nullptr && point->cold)
        c.flushed_us = 1e3 * point->cold->median;
      out.push_back(std::move(c));
    }
  }
  return out;
}

TEST(Models, RecordedLaunchesThatNothingWasFittedOn) {
  std::ofstream log(std::filesystem::path(tests::binary_dir()) / "recorded.txt");
  StallFigures stalls;
  std::vector<double> errors, long_errors, l2, dram;
  const std::vector<Case> launches = recorded_launches();
  for (const Case& c : launches) {
    const Row row{&c, modelled(c)};
    if (!row.modelled || !row.modelled->time || !row.modelled->caches) continue;
    log << stalls.add(row);
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
             dram.size(), share(dram, 0.1));
  EXPECT_GE(stalls.launches, 30u);
  EXPECT_GE(100 * stalls.right, 85 * stalls.launches);
  EXPECT_GE(share(stalls.long_off, 0.15), 0.88);
  EXPECT_LE(percentile(errors, 0.5), 0.08);
  EXPECT_LE(percentile(errors, 0.9), 0.3);
  EXPECT_LE(percentile(long_errors, 0.5), 0.15);
  EXPECT_GE(share(l2, 0.1), 0.95);
  EXPECT_GE(share(dram, 0.1), 0.82);
}

}  // namespace
}  // namespace warplens::models
