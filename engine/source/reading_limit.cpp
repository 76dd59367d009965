#include "engine/source/reading_limit.h"

#include <fmt/format.h>
#include <time.h>

namespace warplens::source {
namespace {

constexpr int kStepsBetweenLooks = 4096;

// Seconds of processor time that this thread has had.
double thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

thread_local ReadingLimit* current = nullptr;

}  // namespace

ReadingLimit::ReadingLimit(double seconds, const Progress* progress)
    : seconds_(seconds), end_(thread_time() + seconds), progress_(progress), outer_(current) {
  current = this;
}

ReadingLimit::~ReadingLimit() {
  current = outer_;
}

void ReadingLimit::step() {
  if (--until_look_ > 0) return;
  until_look_ = kStepsBetweenLooks;
  if (progress_ != nullptr && progress_->cancelled()) throw ReadingStopped(true);
  if (thread_time() > end_) throw ReadingStopped(false);
}

Error ReadingLimit::error(const ReadingStopped& stopped, const std::string& file) const {
  if (stopped.cancelled) return {ErrorKind::Cancelled, "reading the text was stopped", {file, 0, 0}, {}};
  return {ErrorKind::Compile,
          fmt::format("reading the text took longer than {:g} seconds and was stopped: look for macros or "
                      "expressions of the host code that expand without end, or give it more time "
                      "(--compile-seconds)",
                      seconds_),
          {file, 0, 0},
          {}};
}

void reading_step() {
  if (current != nullptr) current->step();
}

}  // namespace warplens::source
