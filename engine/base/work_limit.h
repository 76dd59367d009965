// How long Warplens' own work on a text may take: reading CUDA C++, parsing PTX, control flow, what becomes
// of it, lowering. It is about linear in what people write, but a text made to keep it busy, or a mistake of
// ours, must end in a message as well, and whoever waits can stop it.
//
//   return within_limit(60, progress, file, [&]() -> Result<Module> {
//     ...work_step() now and then...
//   });
//
// Counted is this thread's processor time: waiting for a compiler in between is no work. Inner limits replace
// outer ones for as long as they live. Without any limit work_step() does nothing.
//
// A text as tokens is the most of what reading needs in memory, and the rest grows with it: whoever holds
// much says so with work_holds().
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace warplens {

struct WorkStopped : std::exception {
  enum class Why { Cancelled, TooLong, TooLarge };
  explicit WorkStopped(Why reason) : why(reason) {}
  const char* what() const noexcept override { return "the work on a text was stopped"; }
  Why why;
};

// What is done within a limit: the advice when it is reached depends on it.
enum class Work { AnalysingPtx, ReadingCuda };

struct WorkBounds {
  WorkBounds(double most_seconds) : seconds(most_seconds) {}
  WorkBounds(Work kind, double most_seconds, std::uint64_t most_mib)
      : work(kind), seconds(most_seconds), memory_mib(most_mib) {}
  Work work = Work::AnalysingPtx;
  double seconds;
  std::uint64_t memory_mib = std::numeric_limits<std::uint64_t>::max();
};

class WorkLimit {
 public:
  explicit WorkLimit(const WorkBounds& bounds, const Progress* progress = nullptr);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

  void hold(std::uint64_t bytes) const;  // throws WorkStopped when that is too much
  void step();  // throws WorkStopped; looks at the clock once in a few thousand calls

  // What to tell the user: the file, what happened, what to do.
  Error error(const WorkStopped& stopped, const std::string& file) const;

 private:
  WorkBounds bounds_;
  double end_;
  const Progress* progress_;
  int until_look_ = 0;
  WorkLimit* outer_;
};

// One small piece of work (a token, an instruction, a step along a graph): throws WorkStopped when this
// thread's limit is reached or the task was cancelled.
void work_step();
// So many bytes are in memory at once.
void work_holds(std::uint64_t bytes);

// What `task` returns, a Result, or the error that says why it was stopped.
template <typename Task>
auto within_limit(const WorkBounds& bounds, const Progress* progress, const std::string& file, Task task)
    -> decltype(task()) {
  const WorkLimit limit(bounds, progress);
  try {
    return task();
  } catch (const WorkStopped& stopped) {
    return limit.error(stopped, file);
  }
}

}  // namespace warplens
