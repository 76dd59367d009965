#include "engine/source/reading_limit.h"

#include <fmt/format.h>
#include <time.h>

namespace warplens::source {
namespace {

constexpr int kStepsBetweenLooks = 4096;
// Measured: the highest that reading texts of 20 MB came to, with all that is made of a token.
constexpr std::size_t kBytesAToken = 160;

// Seconds of processor time that this thread has had.
double thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

thread_local ReadingLimit* current = nullptr;

}  // namespace

ReadingLimit::ReadingLimit(const CompileLimits& limits, const Progress* progress)
    : limits_(limits), end_(thread_time() + limits.seconds), progress_(progress), outer_(current) {
  current = this;
}

ReadingLimit::~ReadingLimit() {
  current = outer_;
}

void ReadingLimit::hold(std::size_t tokens) const {
  if (tokens * kBytesAToken >> 20 > limits_.memory_mib) throw ReadingStopped(ReadingStopped::Why::TooLarge);
}

void ReadingLimit::step() {
  if (--until_look_ > 0) return;
  until_look_ = kStepsBetweenLooks;
  if (progress_ != nullptr && progress_->cancelled()) throw ReadingStopped(ReadingStopped::Why::Cancelled);
  if (thread_time() > end_) throw ReadingStopped(ReadingStopped::Why::TooLong);
}

Error ReadingLimit::error(const ReadingStopped& stopped, const std::string& file) const {
  if (stopped.why == ReadingStopped::Why::TooLarge)
    return {ErrorKind::Compile,
            fmt::format("reading the text needs more than {} MiB of memory: split the file, or give it more "
                        "(--compile-memory)",
                        limits_.memory_mib),
            {file, 0, 0},
            {}};
  if (stopped.why == ReadingStopped::Why::Cancelled)
    return {ErrorKind::Cancelled, "reading the text was stopped", {file, 0, 0}, {}};
  return {ErrorKind::Compile,
          fmt::format("reading the text took longer than {:g} seconds and was stopped: look for macros or "
                      "expressions of the host code that expand without end, or give it more time "
                      "(--compile-seconds)",
                      limits_.seconds),
          {file, 0, 0},
          {}};
}

void reading_holds(std::size_t tokens) {
  if (current != nullptr) current->hold(tokens);
}

void reading_step() {
  if (current != nullptr) current->step();
}

}  // namespace warplens::source
