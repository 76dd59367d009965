#include "app/window/jobs/background.h"

#include <chrono>

namespace warplens::window {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Background::Background(std::function<void()> wake) : wake_(std::move(wake)), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (progress_) progress_->cancel();
  }
  changed_.notify_all();
  thread_.join();
}

void Background::add(Message what, Task task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(what), std::move(task)});
  }
  changed_.notify_all();
}

bool Background::busy() const {
  const std::lock_guard lock(mutex_);
  return progress_ || !waiting_.empty();
}

std::optional<Message> Background::what() const {
  const std::lock_guard lock(mutex_);
  return what_;
}

double Background::fraction() const {
  const std::lock_guard lock(mutex_);
  return progress_ ? progress_->fraction() : 0;
}

double Background::seconds_running() const {
  const std::lock_guard lock(mutex_);
  return progress_ ? now() - started_ : 0;
}

void Background::cancel() {
  const std::lock_guard lock(mutex_);
  if (progress_) progress_->cancel();
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    what_ = next.what;
    progress_ = std::make_shared<Progress>();
    started_ = now();
    const std::shared_ptr<Progress> progress = progress_;
    lock.unlock();
    wake_();
    next.task(*progress);
    lock.lock();
    progress_.reset();
    what_.reset();
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace warplens::window
