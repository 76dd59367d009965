#include "app/window/shell/end_request.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

namespace warplens::window {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr unsigned kSecondsToClose = 30;

std::atomic<bool> g_came = false;
std::atomic<int> g_pipe = -1;
std::array<struct sigaction, kSignals.size()> g_before{};

extern "C" void note_request(int) {
  const int error = errno;
  g_came = true;
  // The next one is for whoever had them before.
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &g_before[i], nullptr);
  ::alarm(kSecondsToClose);
  static_cast<void>(!::write(g_pipe, "", 1));
  errno = error;
}

}  // namespace

struct EndRequests::State {
  int ends[2] = {-1, -1};
  std::thread listener;  // a handler may not wake the window itself
};

EndRequests::EndRequests(std::function<void()> wake) : state_(std::make_unique<State>()) {
  g_came = false;
  if (::pipe2(state_->ends, O_CLOEXEC) != 0) return;
  g_pipe = state_->ends[1];
  state_->listener = std::thread([wake = std::move(wake), end = state_->ends[0]] {
    char byte = 0;
    ssize_t got = 0;
    while ((got = ::read(end, &byte, 1)) == 1 || (got < 0 && errno == EINTR))
      if (got == 1) wake();
  });
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction ours {};
    ours.sa_handler = note_request;
    ours.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], nullptr, &g_before[i]);
    if (g_before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &ours, nullptr);
  }
}

EndRequests::~EndRequests() {
  if (state_->ends[1] < 0) return;
  if (!g_came)
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &g_before[i], nullptr);
  g_pipe = -1;
  ::close(state_->ends[1]);  // the listener reads the end
  state_->listener.join();
  ::close(state_->ends[0]);
}

bool EndRequests::came() const {
  return g_came;
}

}  // namespace warplens::window
