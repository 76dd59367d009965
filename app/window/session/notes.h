// Something said for a few seconds, from any thread; the newest wins.
#pragma once

#include <mutex>
#include <optional>

#include "engine/base/message.h"

namespace warplens::window {

struct Toast {
  Message text;
  double until = 0;
};

class Notes {
 public:
  void say(Message text) {
    const std::lock_guard lock(mutex_);
    said_ = std::move(text);
  }
  const std::optional<Toast>& toast() const { return toast_; }
  // True when another one, or none, is to be seen.
  bool tick(double now) {
    const std::lock_guard lock(mutex_);
    const bool over = toast_ && now >= toast_->until;
    if (over) toast_.reset();
    if (!said_) return over;
    toast_ = Toast{std::move(*said_), now + kSeconds};
    said_.reset();
    return true;
  }

 private:
  static constexpr double kSeconds = 5;
  std::mutex mutex_;
  std::optional<Message> said_;  // since the last tick
  std::optional<Toast> toast_;
};

}  // namespace warplens::window
