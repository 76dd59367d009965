#include "engine/source/background_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

extern char** environ;

namespace warplens::source {

bool make_socket_pair(int (&ends)[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
}

pid_t start_this_program(const char* name, const char* argument, const std::vector<int>& files) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Copies beyond the numbers that they get, or one would close another.
  const int count = static_cast<int>(files.size());
  std::vector<int> copies;
  for (int i = 0; i < count; ++i) {
    copies.push_back(::fcntl(files[static_cast<std::size_t>(i)], F_DUPFD_CLOEXEC, kFirstHandedOver + count));
    posix_spawn_file_actions_adddup2(&actions, copies.back(), kFirstHandedOver + i);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  char* arguments[] = {const_cast<char*>(name), const_cast<char*>(argument), nullptr};
  pid_t child = -1;
  const bool copied = std::ranges::all_of(copies, [](int file) { return file >= 0; });
  if (!copied || ::posix_spawn(&child, "/proc/self/exe", &actions, &attributes, arguments, environ) != 0)
    child = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int file : copies)
    if (file >= 0) ::close(file);
  return child;
}

bool is_started_as(int argc, char** argv, const char* argument) {
  return argc == 2 && std::strcmp(argv[1], argument) == 0;
}

void become_background_process(const char* name, int files) {
  ::setsid();
  ::prctl(PR_SET_NAME, name);
  for (int file = kFirstHandedOver; file < kFirstHandedOver + files; ++file)
    ::fcntl(file, F_SETFD, FD_CLOEXEC);
  ::close_range(static_cast<unsigned>(kFirstHandedOver + files), ~0u, 0);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

void wait_for_end(pid_t child, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::microseconds(200);
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    ended = ::waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) ended = 0;
    if (ended != 0) return;
    if (Clock::now() > deadline) ::kill(child, SIGKILL);
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(10000));
  }
}

}  // namespace warplens::source
