// What `warplens run` asks of a program's launches. It comes with the program's environment, as JSON in
// $WARPLENS_RUN; without it, launches are emulated with the usual checks and nothing is written.
//
//   WARPLENS_RUN={"log": "/private/log", "checks": "all", "count": true, "every": 10}
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"
#include "engine/simt/emulator.h"

namespace warplens::runtime {

struct Settings {
  std::string log;  // a line of JSON for each event is appended to this file (run_log.h); empty: none
  std::string language = "en";
  simt::Checks checks = simt::Checks::Memory;
  int threads = 0;          // of the emulator; 0: one a core
  bool count = false;       // sectors, wavefronts and the like of each launch
  bool progress = false;    // says on standard error which launch runs
  std::uint64_t every = 1;  // of each kernel, only every so many launches are run
};

// The error names what is wrong in the text.
Result<Settings> parse_settings(const std::string& json);
std::string to_json(const Settings& settings);

}  // namespace warplens::runtime
