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

WorkLimit::WorkLimit(const WorkBounds& bounds, const Progress* progress)
    : bounds_(bounds), end_(thread_time() + bounds.seconds), progress_(progress), outer_(current) {
  current = this;
}

WorkLimit::~WorkLimit() {
  current = outer_;
}

void WorkLimit::hold(std::uint64_t bytes) const {
  if (bytes >> 20 > bounds_.memory_mib) throw WorkStopped(WorkStopped::Why::TooLarge);
}

void WorkLimit::step() {
  if (--until_look_ > 0) return;
  until_look_ = kStepsBetweenLooks;
  if (progress_ != nullptr && progress_->cancelled()) throw WorkStopped(WorkStopped::Why::Cancelled);
  if (thread_time() > end_) throw WorkStopped(WorkStopped::Why::TooLong);
}

Error WorkLimit::error(const WorkStopped& stopped, const std::string& file) const {
  const bool reading = bounds_.work == Work::ReadingCuda;
  const char* const work = reading ? "reading the text" : "analysing the PTX";
  if (stopped.why == WorkStopped::Why::Cancelled)
    return {ErrorKind::Cancelled, fmt::format("{} was stopped", work), {file, 0, 0}, {}};
  if (stopped.why == WorkStopped::Why::TooLarge)
    return {ErrorKind::Compile,
            fmt::format("{} needs more than {} MiB of memory: split the file, or give it more "
                        "(--compile-memory)",
                        work, bounds_.memory_mib),
            {file, 0, 0},
            {}};
  return {ErrorKind::Compile,
          fmt::format("{} took longer than {:g} seconds and was stopped: {}, or give it more time "
                      "(--compile-seconds)",
                      work, bounds_.seconds,
                      reading ? "look for macros or expressions of the host code that expand without end"
                              : "compile fewer or smaller kernels at once"),
          {file, 0, 0},
          {}};
}

void work_step() {
  if (current != nullptr) current->step();
}

void work_holds(std::uint64_t bytes) {
  if (current != nullptr) current->hold(bytes);
}

}  // namespace warplens
