// Measures the whole gallery on a GPU and keeps what it has at every step, so that stopping loses nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/model/recording.h"
#include "engine/base/progress.h"

namespace warplens::model {

struct RecorderSettings {
  int device = 0;
  std::vector<std::string> kernels;  // empty: all, with transfers and streams
  bool quick = false;                // few points and runs: a minute instead of several
  double max_seconds = 0;            // stop after this, with what there is; 0: no limit
  std::string date;                  // "2026-11-20"
  // After each kernel; `done` of `all` and a line for people.
  std::function<void(const Recording&, std::size_t done, std::size_t all, const std::string& line)> on_step;
};
// A recording is returned also when it was cancelled or ran out of time: its note says so.
Result<Recording> record_gpu(const RecorderSettings& settings, Progress* progress = nullptr);

}  // namespace warplens::model
