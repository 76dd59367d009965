// Shared between a running task and whoever watches it: how far it is, and the wish to stop it.
// All members may be used from any thread.
#pragma once

#include <atomic>

namespace warplens {

class Progress {
 public:
  void report(double fraction) { fraction_.store(fraction, std::memory_order_relaxed); }
  double fraction() const { return fraction_.load(std::memory_order_relaxed); }  // 0 to 1
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // The line of the source where a kernel goes round and round; 0: it comes on.
  void stand_at(int line) { line_.store(line, std::memory_order_relaxed); }
  int line() const { return line_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> fraction_{0.0};
  std::atomic<bool> cancelled_{false};
  std::atomic<int> line_{0};
};

// What goes on is never shown as done.
inline int shown_percent(double fraction) {
  return fraction >= 0.99 ? 99 : fraction > 0 ? static_cast<int>(100 * fraction) : 0;
}

}  // namespace warplens
