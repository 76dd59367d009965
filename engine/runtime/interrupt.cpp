#include "engine/runtime/interrupt.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

namespace warplens::runtime {
namespace {

Progress g_progress;
std::atomic<int> g_running{0};
std::atomic<int> g_signal{0};

void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Nothing but atomics: it may come at any time.
extern "C" void interrupted(int signal) {
  if (g_running.load() == 0 || g_signal.exchange(signal) != 0) {
    end_by(signal);
    return;
  }
  g_progress.cancel();
}

// What the terminal shows. A thread of its own looks at it, so that one long launch is told as well.
struct Shown {
  std::mutex mutex;
  std::string text;
  bool on_screen = false;
};
Shown& shown() {
  static Shown* const only = new Shown;  // outlives the program's last launch
  return *only;
}

void tell() {
  constexpr auto kEach = std::chrono::milliseconds(250);
  for (;;) {
    std::this_thread::sleep_for(kEach);
    Shown& now = shown();
    const std::lock_guard lock(now.mutex);
    if (now.text.empty()) continue;
    std::fprintf(stderr, "\r\033[K%s %d %%", now.text.c_str(), shown_percent(g_progress.fraction()));
    std::fflush(stderr);
    now.on_screen = true;
  }
}

}  // namespace

void watch_for_interruption() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = interrupted;
    ours.sa_flags = SA_RESTART;
    ::sigaction(signal, &ours, nullptr);
  }
}

InLaunch::InLaunch(std::uint64_t index, const std::string& kernel, bool wanted) {
  ++g_running;
  g_progress.report(0);
  if (!wanted) return;
  static std::once_flag once;
  std::call_once(once, [] { std::thread(tell).detach(); });
  const std::lock_guard lock(shown().mutex);
  shown().text = "launch " + std::to_string(index) + ": " + kernel.substr(0, 60);
}

InLaunch::~InLaunch() {
  {
    const std::lock_guard lock(shown().mutex);
    shown().text.clear();
    if (shown().on_screen) std::fputs("\r\033[K", stderr);
    shown().on_screen = false;
  }
  --g_running;
  if (const int signal = g_signal.load(); signal != 0) {
    std::fflush(nullptr);
    end_by(signal);
  }
}

Progress& InLaunch::progress() {
  return g_progress;
}

}  // namespace warplens::runtime
