// Measures the whole gallery on a GPU and keeps what it has at every step, so that stopping loses nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/model/recording/recording.h"
#include "engine/base/progress.h"

namespace warplens::model {

struct RecorderSettings {
  int device = 0;
  std::vector<std::string> kernels;  // empty: all, with transfers and streams
  bool quick = false;                // few points and runs: a minute instead of several
  double max_seconds = 0;            // stop after this, with what there is; 0: no limit
  std::string date;                  // "2026-11-20"
  // A recording of this device to keep: only what it lacks, or has of another text, is measured.
  std::optional<Recording> base;
  // After each kernel; `done` of `all` and a line for people.
  std::function<void(const Recording&, std::size_t done, std::size_t all, const std::string& line)> on_step;
};

// What has to be measured of a kernel, `source` being the hash of its text: everything when `base` is null or
// has another text of it, else what it lacks.
struct RecorderPlan {
  bool keeps = false;  // what the base has of this kernel
  std::vector<SliderValues> points, counters;
};
RecorderPlan recorder_plan(const GalleryKernel& kernel, const std::string& source, const Recording* base,
                           bool quick);

// A recording is returned also when it was cancelled or ran out of time: its note says so.
Result<Recording> record_gpu(const RecorderSettings& settings, Progress* progress = nullptr);

}  // namespace warplens::model
