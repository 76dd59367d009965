// What `warplens run` asks of a program's launches. It comes with the program's environment, as JSON in
// $WARPLENS_RUN; without it, launches are emulated with the usual checks and nothing is written.
//
//   WARPLENS_RUN={"log": "/private/log", "checks": "all", "count": true, "every": 10,
//                 "keep": [["scale", 3, 5]], "keep_folder": "/home/me/run"}
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/simt/emulator.h"

namespace warplens::runtime {

// Launches of a kernel, by number from 0, that are kept with all that they find (keep.h).
struct KeptLaunches {
  std::string kernel;  // plain name, name with its scope, "name<int>", as shown, mangled; "*": every kernel
  std::uint64_t first = 0, last = 0;
};

// The exit code of a program that is ended because Settings::budget ran out.
inline constexpr int kBudgetRanOut = 5;

// Of simt::Checks, in their order.
inline constexpr std::array<const char*, 3> kCheckNames{"none", "memory", "all"};

inline constexpr std::uint64_t kNoBudget = std::uint64_t{1} << 62;

// As many as a machine of the largest kind has.
inline constexpr int kMostDevices = 16;

struct Settings {
  std::string log;  // a line of JSON for each event is appended to this file (run_log.h); empty: none
  std::string language = "en";
  simt::Checks checks = simt::Checks::Memory;
  int threads = 0;           // of the emulator; 0: one a core
  int devices = 1;           // that the program finds (devices.h)
  bool count = false;        // sectors, wavefronts and the like of each launch
  bool model = false;        // how long each launch would take on the GPU
  bool strict = false;       // accesses out of bounds end their launch also where a GPU lets them pass
  bool execute_all = false;  // also launches that find what an earlier one found (repeats.h)
  bool progress = false;     // says on standard error which launch runs
  std::uint64_t every = 1;   // of each kernel, only every so many launches are run
  std::uint64_t budget = kNoBudget;  // thread instructions of all launches together
  std::vector<KeptLaunches> kept;
  std::string keep_folder;                           // absolute
  std::uint64_t most_kept = std::uint64_t{8} << 30;  // bytes of device memory of a launch that is kept
  // Of a program that runs on a GPU (engine/witness).
  bool on_gpu = false;
  std::int64_t started = 0;            // when, in nanoseconds of the system's monotonic clock
  std::vector<std::string> variables;  // of its PTX, which launches are kept with
};

// The error names what is wrong in the text.
Result<Settings> parse_settings(const std::string& json);
std::string to_json(const Settings& settings);

}  // namespace warplens::runtime
