// What `warplens run` learns of a program: a line of JSON an event, appended as it happens, so that a program
// that crashes leaves what it did until then.
//
//   {"launch": {"index": 0, "kernel": "scale(float*, int)", "grid": [8, 1, 1], ...}}
//   {"copy": {"kind": "host to device", "bytes": 4096, "stream": 0, "begin": 0.013, "seconds": 2e-6}}
//   {"wait": {"call": "cudaDeviceSynchronize", "begin": 0.014, "seconds": 1e-6}}
//   {"leak": {"allocation": 3, "bytes": 4096}}
//   {"unordered": {"conflict": "read", "streams": [2, 3], "allocation": 1, "begin": 0, "end": 4096, "text":
//   "..."}}
//   {"not_supported": "cudaGraphAddChildGraphNode"}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/analysis/totals.h"
#include "engine/base/message.h"
#include "engine/runtime/settings.h"
#include "engine/simt/emulator.h"
#include "engine/trace/launch.h"

namespace warplens::runtime {

class RunLog {
 public:
  RunLog() = default;
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  void open(const std::string& file);
  bool is_open() const { return file_ >= 0; }
  void write(const nlohmann::ordered_json& event);

 private:
  int file_ = -1;
};

// Seconds since the program's start: host time, no GPU's.
double since_start();

// A copy, a fill or a wait, from its beginning to its end.
class Noted {
 public:
  // `what`: "copy", "fill", "wait"; `facts`: what is known of it before. Nothing is written without a log.
  Noted(RunLog& log, const char* what, nlohmann::ordered_json facts);
  ~Noted();
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;

 private:
  RunLog& log_;
  const char* what_;
  std::string facts_;
  double begin_;
};

struct LaunchRecord {
  std::uint64_t index = 0, stream = 0;
  std::string kernel, ending;
  const trace::Launch* launch = nullptr;
  const simt::Outcome* outcome = nullptr;    // nullptr: it was not run
  const analysis::Totals* totals = nullptr;  // nullptr: nobody counted
  std::string error;
  double begin = 0, seconds = 0;                  // since the program's start
  std::optional<double> modelled_us = {};         // on the GPU that is emulated; nothing: nobody asked
  std::uint64_t number = 0;                       // of the kernel's launches, from 0
  std::optional<std::uint64_t> launched_by = {};  // index of the launch one of whose threads launched it
  std::optional<std::uint64_t> same_as = {};      // the launch whose results and counts it has (repeats.h)
  std::string kept, not_kept;  // the folder it is kept in; why it is not, although it was asked for
};
nlohmann::ordered_json to_json(const LaunchRecord& record, const Catalogue& texts);

}  // namespace warplens::runtime
