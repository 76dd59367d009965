#include "engine/source/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace warplens::source {
namespace {

// A compiler that floods its error stream must not fill our memory.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

class Pipe {
 public:
  bool open() { return ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { shut(ends_[0]); }
  void close_write() { shut(ends_[1]); }

 private:
  static void shut(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    if (into.size() < kMaxOutput) into.append(buffer.data(), static_cast<std::size_t>(n));
    return true;
  }
  return n < 0 && (errno == EINTR || errno == EAGAIN);
}

Result<pid_t> spawn(const std::vector<std::string>& command, Pipe& out, Pipe& err) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  // A process group of its own, so that nvcc's children die with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Error{ErrorKind::System, "cannot start " + command[0] + ": " + std::strerror(failed), {}, {}};
  return child;
}

// Inherited by what the child starts. What a compiler may write is bounded as well, and it leaves no core
// file.
void limit(pid_t child, const CompileLimits& limits) {
  const rlimit memory{limits.memory_mib << 20, limits.memory_mib << 20};
  const rlimit file{std::size_t{1} << 30, std::size_t{1} << 30}, none{0, 0};
  ::prlimit(child, RLIMIT_AS, &memory, nullptr);
  ::prlimit(child, RLIMIT_FSIZE, &file, nullptr);
  ::prlimit(child, RLIMIT_CORE, &none, nullptr);
}

std::string name_of(const std::vector<std::string>& command) {
  return std::filesystem::path(command[0]).filename().string();
}

int exit_status(int raw) {
  if (WIFEXITED(raw)) return WEXITSTATUS(raw);
  return 128 + (WIFSIGNALED(raw) ? WTERMSIG(raw) : 0);
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  if (command.empty()) return Error{ErrorKind::Usage, "no program to start", {}, {}};
  Pipe out, err;
  if (!out.open() || !err.open())
    return Error{ErrorKind::System, std::string("cannot make a pipe: ") + std::strerror(errno), {}, {}};
  Result<pid_t> child = spawn(command, out, err);
  if (!child) return child.error();
  limit(*child, options.limits);
  out.close_write();
  err.close_write();

  ProcessResult result;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(options.limits.seconds);
  bool out_open = true, err_open = true, cancelled = false, late = false;
  while (out_open || err_open) {
    std::array<pollfd, 2> fds{pollfd{out_open ? out.read_end() : -1, POLLIN, 0},
                              pollfd{err_open ? err.read_end() : -1, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), 20) < 0 && errno != EINTR) break;
    if (fds[0].revents != 0) out_open = drain(out.read_end(), result.out);
    if (fds[1].revents != 0) err_open = drain(err.read_end(), result.err);
    cancelled = options.progress != nullptr && options.progress->cancelled();
    late = std::chrono::steady_clock::now() > deadline;
    if (cancelled || late) {
      ::kill(-*child, SIGKILL);
      break;
    }
  }
  int raw = 0;
  while (::waitpid(*child, &raw, 0) < 0 && errno == EINTR) {
  }
  if (cancelled) return Error{ErrorKind::Cancelled, command[0] + " was stopped", {}, {}};
  if (late) return took_too_long(name_of(command), "", options.limits);
  result.status = exit_status(raw);
  return result;
}

void limit_memory_of_this_process(std::uint64_t bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t most = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  rlimit memory{};
  if (::getrlimit(RLIMIT_AS, &memory) != 0) return;
  memory.rlim_cur = std::min<rlim_t>(most, memory.rlim_max);
  ::setrlimit(RLIMIT_AS, &memory);
}

Error took_too_long(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return {ErrorKind::Compile,
          fmt::format("{} took longer than {:g} seconds and was stopped: look for templates or macros that "
                      "expand without end, or give it more time (--compile-seconds)",
                      compiler, limits.seconds),
          {file, 0, 0},
          {}};
}

Error took_too_much(const std::string& compiler, const std::string& file, const CompileLimits& limits) {
  return {ErrorKind::Compile,
          fmt::format("{} ended without an answer: it crashed on this file, or needed more than {} MiB of "
                      "memory; look for templates, macros or tables that grow without end, or give it more "
                      "(--compile-memory)",
                      compiler, limits.memory_mib),
          {file, 0, 0},
          {}};
}

}  // namespace warplens::source
