// How fast the emulator is, on this machine, now: five kernels, plain and recording and with every check,
// beside the same kernels in OpenCL under PoCL and Oclgrind where these are installed. One run measures all
// of them, since only ratios within a run mean anything.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace warplens::model {

struct BenchRow {
  std::string kernel;
  std::uint64_t lane_instructions = 0;  // PTX instructions times active lanes
  // Lane instructions a second, best of the runs.
  double plain = 0;       // no listener, no checks
  double recording = 0;   // totals of the whole launch, a stored block, bounds and alignment checked
  double all_checks = 0;  // races, uninitialised reads and barriers too
  double recording_seconds = 0;
  // Seconds of the same kernel elsewhere; empty when not installed or failed.
  std::optional<double> pocl_seconds, oclgrind_seconds;
};

struct BenchOptions {
  int runs = 5;
  int threads = 0;  // 0: every core
  bool rivals = true;
  std::function<void(const std::string&)> on_kernel;
};

struct BenchResult {
  std::vector<BenchRow> rows;
  int threads = 0;
  std::string rivals_note;  // why there is no comparison, or empty
};

Result<BenchResult> run_bench(const BenchOptions& options);

}  // namespace warplens::model
