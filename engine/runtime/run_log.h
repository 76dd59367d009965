// What `warplens run` learns of a program: a line of JSON an event, appended as it happens, so that a program
// that crashes leaves what it did until then.
//
//   {"launch": {"index": 0, "kernel": "scale(float*, int)", "grid": [8, 1, 1], ...}}
//   {"not_supported": "cudaGraphAddChildGraphNode"}
#pragma once

#include <nlohmann/json_fwd.hpp>
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

struct LaunchRecord {
  std::uint64_t index = 0, stream = 0;
  std::string kernel, ending;
  const trace::Launch* launch = nullptr;
  const simt::Outcome* outcome = nullptr;    // nullptr: it was not run
  const analysis::Totals* totals = nullptr;  // nullptr: nobody counted
  std::string error;
  double begin = 0, seconds = 0;  // since the program's start
};
nlohmann::ordered_json to_json(const LaunchRecord& record, const Catalogue& texts);

}  // namespace warplens::runtime
