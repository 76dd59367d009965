#include "app/window/jobs/lesson_worker.h"

#include <utility>

#include "app/model/recording/recording.h"

namespace warplens::window {

LessonWorker::LessonWorker(const model::Gallery& gallery, std::function<void()> wake)
    : gallery_(gallery), wake_(std::move(wake)) {}

LessonWorker::~LessonWorker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    jobs_.clear();
    if (runs_ != nullptr) runs_->cancel();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LessonWorker::ask(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

bool LessonWorker::take() {
  std::vector<Done> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(done_, {});
  }
  for (const Done& one : done) one();
  return !done.empty();
}

void LessonWorker::drop() {
  const std::lock_guard lock(mutex_);
  jobs_.clear();
}

bool LessonWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return working_ || !jobs_.empty() || !done_.empty();
}

void LessonWorker::work() {
  const model::Recordings recordings = model::load_recordings();
  lesson::Runs runs(gallery_, recordings.best());
  std::unique_lock lock(mutex_);
  runs_ = &runs;
  while (!ending_) {
    if (jobs_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    Done done = job(runs);
    lock.lock();
    working_ = false;
    if (done) done_.push_back(std::move(done));
    wake_();
  }
  runs_ = nullptr;
}

}  // namespace warplens::window
