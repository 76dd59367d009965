#include "engine/gpu/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "engine/base/message.h"
#include "engine/gpu/error_frame.h"

extern char** environ;

namespace warplens::gpu {
namespace {

std::string worker_program() {
  if (const char* set = std::getenv("WARPLENS_WORKER"); set != nullptr && *set != '\0') return set;
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

// Whoever waits looks this often for a sign to stop, in seconds.
constexpr double kLook = 0.02;
// A worker that is told to stop ends after the batch in hand and keeps its context: making a new one takes
// most of a second. One that does not within this time is ended.
constexpr double kStopSeconds = 0.5;

}  // namespace

WorkerProcess::WorkerProcess(pid_t pid, int socket, int output)
    : pid_(pid), channel_(socket), output_(output) {}

WorkerProcess::~WorkerProcess() {
  end();
  if (output_ >= 0) ::close(output_);
}

void WorkerProcess::end() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start() {
  const auto failed = [](const char* what) {
    return told(ErrorKind::System, {"gpu.worker.not_started", {{"what", value_of(what)}}});
  };
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed("no socket");
  // The kernel's printf goes to the worker's standard output: a file that has no name.
  const int output =
      ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  const std::string program = worker_program();
  constexpr int kSocketInWorker = 3;
  const std::string socket_text = std::to_string(kSocketInWorker);
  char* arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>("gpu-worker"),
                       const_cast<char*>(socket_text.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kSocketInWorker);
  pid_t pid = -1;
  const int code = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (code != 0) {
    ::close(ends[0]);
    if (output >= 0) ::close(output);
    return failed(program.c_str());
  }
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(pid, ends[0], output));
}

Result<Frame> WorkerProcess::ask(const Frame& request, double limit_seconds,
                                 const std::function<bool(double)>& on_progress) {
  if (!alive()) return told(ErrorKind::System, {"gpu.worker.ended", {}});
  if (const Status sent = channel_.send(request); !sent) {
    end();
    return sent.error();
  }
  double fraction = 0, silence = 0;
  for (;;) {
    Result<Frame> frame = channel_.receive(kLook);
    if (!frame && frame.error().kind == ErrorKind::Cancelled) {
      silence += kLook;
      if (!on_progress(fraction)) return stop();
      if (silence < limit_seconds) continue;
      end();
      return told(ErrorKind::Fault, {"gpu.worker.did_not_end", {{"seconds", value_of(limit_seconds)}}});
    }
    if (!frame) {
      end();
      return frame.error();
    }
    silence = 0;
    if (frame->head.contains("progress")) {
      fraction = frame->head["progress"];
      if (!on_progress(fraction)) return stop();
      continue;
    }
    if (!is_error(*frame)) return frame;
    Error error = error_from(*frame);
    if (error.kind == ErrorKind::Fault) end();  // its context is lost
    return error;
  }
}

// The answer that still comes is not wanted any more; its arrival says that the worker is free again.
Error WorkerProcess::stop() {
  const Error stopped = told(ErrorKind::Cancelled, {"gpu.stopped", {}});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(kStopSeconds);
  bool waiting = channel_.send({{{"do", "stop"}}, {}}).has_value();
  while (waiting && std::chrono::steady_clock::now() < deadline) {
    const Result<Frame> frame = channel_.receive(kLook);
    if (!frame && frame.error().kind == ErrorKind::Cancelled) continue;
    if (!frame) break;
    if (frame->head.contains("progress")) continue;
    if (frame->head.value("kind", "") == "fault") break;
    return stopped;
  }
  end();
  return stopped;
}

std::string WorkerProcess::take_output() {
  std::string text;
  if (output_ < 0) return text;
  const off_t size = ::lseek(output_, 0, SEEK_END);
  if (size <= 0) return text;
  text.resize(static_cast<std::size_t>(size));
  const ssize_t got = ::pread(output_, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (::ftruncate(output_, 0) == 0) ::lseek(output_, 0, SEEK_SET);
  return text;
}

}  // namespace warplens::gpu
