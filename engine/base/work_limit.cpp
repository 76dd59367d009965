#include "engine/base/work_limit.h"

#include <fmt/format.h>
#include <time.h>

namespace warplens {
namespace {

constexpr int kStepsBetweenLooks = 4096;

// Seconds of processor time that this thread has had.
double thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

thread_local WorkLimit* current = nullptr;

}  // namespace

WorkLimit::WorkLimit(double seconds, const Progress* progress)
    : seconds_(seconds), end_(thread_time() + seconds), progress_(progress), outer_(current) {
  current = this;
}

WorkLimit::~WorkLimit() {
  current = outer_;
}

void WorkLimit::step() {
  if (--until_look_ > 0) return;
  until_look_ = kStepsBetweenLooks;
  if (progress_ != nullptr && progress_->cancelled()) throw WorkStopped(true);
  if (thread_time() > end_) throw WorkStopped(false);
}

Error WorkLimit::error(const WorkStopped& stopped, const std::string& file) const {
  if (stopped.cancelled) return {ErrorKind::Cancelled, "analysing the PTX was stopped", {file, 0, 0}, {}};
  return {
      ErrorKind::Compile,
      fmt::format("analysing the PTX took longer than {:g} seconds and was stopped: compile fewer or smaller "
                  "kernels at once, or give it more time (--compile-seconds)",
                  seconds_),
      {file, 0, 0},
      {}};
}

void work_step() {
  if (current != nullptr) current->step();
}

}  // namespace warplens
