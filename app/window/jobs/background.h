// Work that takes longer than a blink and belongs to no run: exports. On a thread of its own, so that sliders
// and playing go on meanwhile; one task after another, each with progress and cancel.
//
//   background.add({"window.export.gif"}, [=](Progress& progress) { ... });
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/message.h"
#include "engine/base/progress.h"

namespace warplens::window {

double now();  // seconds of the steady clock

class Background {
 public:
  using Task = std::function<void(Progress&)>;

  // `wake` is called from the worker whenever a task begins or ends.
  explicit Background(std::function<void()> wake);
  ~Background();  // cancels and waits

  void add(Message what, Task task);
  bool busy() const;
  std::optional<Message> what() const;  // of the running task
  double fraction() const;              // of it, 0 to 1
  double seconds_running() const;
  void cancel();  // the running task; those that wait go on

 private:
  struct Waiting {
    Message what;
    Task task;
  };
  void work();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::optional<Message> what_;
  std::shared_ptr<Progress> progress_;  // of the running task
  double started_ = 0;                  // steady seconds
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warplens::window
