// The thread that a lesson's answers, texts and goals are worked out on: each may execute kernels.
//
//   worker.ask([step](lesson::Runs& runs) {
//     auto answer = lesson::answer_of(runs, ...);            // on the thread
//     return [answer] { use(answer); };                      // by take(), on the caller's thread
//   });
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/lesson/runs.h"

namespace warplens::window {

class LessonWorker {
 public:
  using Done = std::function<void()>;
  using Job = std::function<Done(lesson::Runs&)>;

  // The gallery must outlive it. wake: called from the thread when something is done.
  LessonWorker(const model::Gallery& gallery, std::function<void()> wake);
  ~LessonWorker();
  void ask(Job job);
  // Runs what has come in, on this thread; true when there was anything.
  bool take();
  // Jobs that have not begun are forgotten.
  void drop();
  bool busy() const;

 private:
  void work();

  const model::Gallery& gallery_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<Done> done_;
  bool working_ = false, ending_ = false;
  lesson::Runs* runs_ = nullptr;  // while the thread runs, for stopping what it does
  std::thread thread_;            // begins with the first job
};

}  // namespace warplens::window
