// Ctrl-C, a request to terminate and a terminal that goes away close the window as its own button does, so
// that settings and what was typed are kept. A second one, or a window that does not close within half a
// minute, ends the program.
#pragma once

#include <functional>
#include <memory>

namespace warplens::window {

class EndRequests {
 public:
  // `wake`: called from another thread when one has come.
  explicit EndRequests(std::function<void()> wake);
  ~EndRequests();
  EndRequests(const EndRequests&) = delete;
  EndRequests& operator=(const EndRequests&) = delete;
  bool came() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warplens::window
