// How fast the emulator is, on this machine, now: seven kernels, plain and recording and with every check,
// beside the same kernels in OpenCL under PoCL and Oclgrind where these are installed. One run measures all
// of them, since only ratios within a run mean anything.
#pragma once

#include <cstdint>
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
  double recording_seconds = 0, all_checks_seconds = 0;
  // What the checks cost on top of recording, in time.
  double checks_over_recording() const {
    return recording_seconds > 0 ? all_checks_seconds / recording_seconds : 0;
  }
  // Seconds of the same kernel elsewhere; empty when not installed or failed.
  std::optional<double> pocl_seconds, oclgrind_seconds;
};

// From a kernel's text to its first picture: seconds of each part, and of all of it, best of the runs.
struct FirstPicture {
  std::string kernel;
  std::uint64_t threads = 0;
  double program = 0;  // PTX from the cache, parsed
  double run = 0;      // emulation, exact totals, the report
  double layout = 0;   // of the default view
  double png = 0;      // drawn and compressed, 1280 x 720
  double total() const { return program + run + layout + png; }
};

// What a person waits for at each move of a slider, on a program that is open: seconds of each part, best of
// the runs. Decoding the kernel and what ptxas makes of it is the first move's alone.
struct SliderMove {
  std::string kernel;
  std::uint64_t threads = 0;
  double decoding = 0;  // of the first move; the later ones find it done
  double run = 0;       // emulation, exact totals, the report
  double layout = 0;    // of the default view
  double total() const { return run + layout; }
};

struct BenchOptions {
  int runs = 5;
  int threads = 0;  // 0: every core
  bool rivals = true;
  std::function<void(const std::string&)> on_kernel;
};

struct BenchResult {
  std::vector<BenchRow> rows;
  FirstPicture first_picture;
  SliderMove slider;
  int threads = 0;
  std::string rivals_note;  // why there is no comparison, or empty
};

Result<BenchResult> run_bench(const BenchOptions& options);

}  // namespace warplens::model
