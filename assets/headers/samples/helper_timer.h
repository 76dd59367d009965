// The stop watch of the toolkit's samples, in milliseconds.
#pragma once

#include <chrono>

class StopWatchInterface {
 public:
  virtual ~StopWatchInterface() = default;
  void start() {
    begin_ = Clock::now();
    running_ = true;
  }
  void stop() {
    if (!running_) return;
    last_ = since();
    total_ += last_;
    ++sessions_;
    running_ = false;
  }
  void reset() {
    last_ = total_ = 0;
    sessions_ = 0;
    begin_ = Clock::now();
  }
  float getTime() { return static_cast<float>(running_ ? total_ + since() : total_); }
  float getAverageTime() { return static_cast<float>(sessions_ > 0 ? total_ / sessions_ : 0); }

 private:
  using Clock = std::chrono::steady_clock;
  double since() const { return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }

  Clock::time_point begin_ = Clock::now();
  double last_ = 0, total_ = 0;
  int sessions_ = 0;
  bool running_ = false;
};
class StopWatchLinux : public StopWatchInterface {};

static inline bool sdkCreateTimer(StopWatchInterface** watch) {
  *watch = new StopWatchLinux;
  return true;
}
static inline bool sdkDeleteTimer(StopWatchInterface** watch) {
  delete *watch;
  *watch = nullptr;
  return true;
}
static inline bool sdkStartTimer(StopWatchInterface** watch) { return *watch != nullptr && ((*watch)->start(), true); }
static inline bool sdkStopTimer(StopWatchInterface** watch) { return *watch != nullptr && ((*watch)->stop(), true); }
static inline bool sdkResetTimer(StopWatchInterface** watch) { return *watch != nullptr && ((*watch)->reset(), true); }
static inline float sdkGetTimerValue(StopWatchInterface** watch) { return *watch != nullptr ? (*watch)->getTime() : -1.0f; }
static inline float sdkGetAverageTimerValue(StopWatchInterface** watch) {
  return *watch != nullptr ? (*watch)->getAverageTime() : 0.0f;
}
