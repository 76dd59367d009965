// How long Warplens' own work on PTX may take: parsing, control flow, what becomes of it, lowering. It is
// about linear in what people write, but a text made to keep it busy, or a mistake of ours, must end in a
// message as well, and whoever waits can stop it. What reads CUDA texts has its own
// (engine/source/reading_limit.h).
//
//   return within_limit(60, progress, file, [&]() -> Result<Module> {
//     ...work_step() now and then...
//   });
//
// Counted is this thread's processor time: waiting for a compiler in between is no work. Inner limits replace
// outer ones for as long as they live. Without any limit work_step() does nothing.
#pragma once

#include <exception>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace warplens {

struct WorkStopped : std::exception {
  explicit WorkStopped(bool by_user) : cancelled(by_user) {}
  const char* what() const noexcept override { return cancelled ? "cancelled" : "the work took too long"; }
  bool cancelled;
};

class WorkLimit {
 public:
  explicit WorkLimit(double seconds, const Progress* progress = nullptr);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

  void step();  // throws WorkStopped; looks at the clock once in a few thousand calls

  // What to tell the user: the file, what happened, what to do.
  Error error(const WorkStopped& stopped, const std::string& file) const;

 private:
  double seconds_, end_;
  const Progress* progress_;
  int until_look_ = 0;
  WorkLimit* outer_;
};

// One small piece of work (a token, an instruction, a step along a graph): throws WorkStopped when this
// thread's limit is reached or the task was cancelled.
void work_step();

// What `task` returns, a Result, or the error that says why it was stopped.
template <typename Task>
auto within_limit(double seconds, const Progress* progress, const std::string& file, Task task)
    -> decltype(task()) {
  const WorkLimit limit(seconds, progress);
  try {
    return task();
  } catch (const WorkStopped& stopped) {
    return limit.error(stopped, file);
  }
}

}  // namespace warplens
