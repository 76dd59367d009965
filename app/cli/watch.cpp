#include "app/cli/watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace warplens::cli {
namespace {

Progress* g_progress = nullptr;  // of the task that runs; set before the handler is

// Work that does not look at its progress for so long is stuck: then the alarm ends the program.
constexpr unsigned kSecondsToEnd = 30;

struct sigaction g_interrupt {
}, g_terminate{};  // what there was before

void give_back() {
  ::sigaction(SIGINT, &g_interrupt, nullptr);
  ::sigaction(SIGTERM, &g_terminate, nullptr);
}

extern "C" void cancel_task(int) {
  if (g_progress == nullptr) return;
  g_progress->cancel();  // an atomic store: safe in a handler, as alarm() is
  ::alarm(kSecondsToEnd);
  give_back();
}

}  // namespace

Interruption::Interruption(Progress& progress) {
  g_progress = &progress;
  struct sigaction action {};
  action.sa_handler = cancel_task;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &g_interrupt);
  ::sigaction(SIGTERM, &action, &g_terminate);
}

Interruption::~Interruption() {
  ::alarm(0);
  give_back();
  g_progress = nullptr;
}

Result<std::shared_ptr<const model::Program>> load_watched(const model::ProgramRequest& request) {
  Progress progress;
  const Interruption interruption(progress);
  return model::load_program(request, &progress);
}

ProgressLine::ProgressLine(const Progress& progress)
    : progress_(progress), terminal_(::isatty(STDERR_FILENO) == 1), thread_([this] { watch(); }) {}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void ProgressLine::watch() {
  using namespace std::chrono_literals;
  const auto begin = std::chrono::steady_clock::now();
  const auto pause = terminal_ ? 200ms : 10000ms;
  std::unique_lock lock(mutex_);
  constexpr double kLongRun = 120;  // seconds; of what takes longer something is said
  bool written = false, hinted = false;
  for (auto wait = terminal_ ? 1000ms : pause; !end_.wait_for(lock, wait, [this] { return ended_; });
       wait = pause) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const int line = progress_.line();
    const std::string where = line > 0 ? fmt::format(", in the loop on line {}", line) : "";
    fmt::print(stderr,
               fmt::runtime(terminal_ ? "\r{:3} %, {:.0f} s{} " : "warplens: {} % after {:.0f} s{}\n"),
               shown_percent(progress_.fraction()), seconds, where);
    std::fflush(stderr);
    written = true;
    const double fraction = progress_.fraction();
    if (seconds < 10 || hinted || fraction * kLongRun > seconds) continue;
    hinted = true;
    const std::string whole =
        fraction > 0.001 ? fmt::format("about {:.0f} minutes", std::ceil(seconds / fraction / 60)) : "hours";
    fmt::print(stderr,
               "{}warplens: all of this launch would take {} (without --budget it is stopped after 5, or "
               "when no block ends for 2); --sample 64 "
               "runs 64 of its blocks, spread over the grid\n",
               terminal_ ? "\r" : "", whole);
  }
  if (terminal_ && written) std::fputs("\r                    \r", stderr);
}

}  // namespace warplens::cli
