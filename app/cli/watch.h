// Long tasks on the command line: how far they are, and Ctrl-C.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/model/run/pipeline.h"
#include "engine/base/progress.h"

namespace warplens::cli {

// Ctrl-C and a request to terminate cancel the task once; a second one ends the program. For its life; one at
// a time.
class Interruption {
 public:
  explicit Interruption(Progress& progress);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();
};

// Says on standard error how far a task is, once it has taken a second: a line that is written over in a
// terminal, a line every ten seconds in a file.
class ProgressLine {
 public:
  explicit ProgressLine(const Progress& progress);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

 private:
  void watch();

  const Progress& progress_;
  const bool terminal_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

// A program's text compiled and parsed; Ctrl-C stops the compiler.
Result<std::shared_ptr<const model::Program>> load_watched(const model::ProgramRequest& request);

}  // namespace warplens::cli
