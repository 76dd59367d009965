#include "engine/base/work_limit.h"

#include <time.h>

#include "engine/base/message.h"

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
  const MessageValue work = Key{reading ? "compile.work.reading" : "compile.work.analysing"};
  if (stopped.why == WorkStopped::Why::Cancelled)
    return told(ErrorKind::Cancelled, {"compile.work.stopped", {{"work", work}}}, {file, 0, 0});
  if (stopped.why == WorkStopped::Why::TooLarge)
    return told(ErrorKind::Compile,
                {"compile.work.too_large", {{"work", work}, {"mebibytes", value_of(bounds_.memory_mib)}}},
                {file, 0, 0});
  return told(ErrorKind::Compile,
              {"compile.work.too_long",
               {{"work", work},
                {"seconds", value_of(bounds_.seconds)},
                {"cure", Key{reading ? "compile.work.cure_reading" : "compile.work.cure_analysing"}}}},
              {file, 0, 0});
}

void work_step() {
  if (current != nullptr) current->step();
}

void work_holds(std::uint64_t bytes) {
  if (current != nullptr) current->hold(bytes);
}

}  // namespace warplens
