#include "engine/source/keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/source/background_process.h"
#include "engine/source/private_folder.h"
#include "engine/source/process.h"
#include "engine/source/socket_messages.h"

namespace warplens::source::keeper {
namespace {

constexpr char kKeeperName[] = "compile-keeper", kGuardName[] = "compile-guard";
constexpr char kKeepArgument[] = "--keep-compilers-for-socket";
// Descriptors handed over: the socket, and what compilers get as standard output and error.
constexpr int kSocket = kFirstHandedOver, kOutputFile = kSocket + 1, kErrors = kSocket + 2;

constexpr rlim_t kMostFileBytes = rlim_t{1} << 30;
constexpr int kPause = 2;  // milliseconds between two looks for processes that are still there

// ---- the compiler's process, between fork and exec

void bound(int resource, rlim_t most) {
  const rlimit limit{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

[[noreturn]] void become(const std::vector<char*>& command, rlim_t memory, rlim_t seconds, pid_t keeper,
                         int report) {
  ::setpgid(0, 0);
  // Should the keeper itself be killed; and it may have been before this was said.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(127);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(kOutputFile, STDOUT_FILENO);
  ::dup2(kErrors, STDERR_FILENO);
  bound(RLIMIT_AS, memory);
  bound(RLIMIT_FSIZE, kMostFileBytes);
  bound(RLIMIT_CPU, seconds);
  ::execv(command[0], command.data());
  const int error = errno;
  static_cast<void>(!::write(report, &error, sizeof error));
  ::_exit(127);
}

struct Command {
  std::vector<std::string> words;
  rlim_t memory = 0, seconds = 0;
};

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The process, or minus an errno.
pid_t start(const Command& command) {
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return -errno;
  const pid_t keeper = ::getpid(), child = ::fork();
  if (child == 0) become(words, command.memory, command.seconds, keeper, report[1]);
  int error = child < 0 ? errno : 0;
  ::close(report[1]);
  if (child > 0 && ::read(report[0], &error, sizeof error) > 0) ::waitpid(child, nullptr, 0);
  ::close(report[0]);
  return error != 0 ? -error : child;
}

// ---- ending all that a compiler has started

// The parent of a process, by the fourth field of its stat; what stands before it may hold any character, but
// the last ')' ends it.
pid_t parent_of(const char* process) {
  char name[64], text[512];
  std::snprintf(name, sizeof name, "/proc/%s/stat", process);
  const int file = ::open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (size <= 0) return -1;
  const std::string_view stat(text, static_cast<std::size_t>(size));
  const std::size_t end = stat.rfind(") ");
  pid_t parent = -1;
  if (end != std::string_view::npos && end + 4 < stat.size())
    std::from_chars(stat.data() + end + 4, stat.data() + stat.size(), parent);
  return parent;
}

void kill_children() {
  DIR* const processes = ::opendir("/proc");
  if (processes == nullptr) return;
  const pid_t self = ::getpid();
  while (const dirent* entry = ::readdir(processes)) {
    const pid_t process = static_cast<pid_t>(number(entry->d_name));
    if (process > 0 && parent_of(entry->d_name) == self) ::kill(process, SIGKILL);
  }
  ::closedir(processes);
}

// A child whose own children are left becomes nobody's and they become ours, until there are none.
void end_all(pid_t group) {
  if (group > 0) ::kill(-group, SIGKILL);
  for (;;) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    kill_children();
    ::poll(nullptr, 0, kPause);
  }
}

// ---- the keeper

// Blocked, so that they can be asked for.
sigset_t heard_signals() {
  sigset_t heard;
  ::sigemptyset(&heard);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&heard, signal);
  ::sigprocmask(SIG_BLOCK, &heard, nullptr);
  return heard;
}

class Keeper {
 public:
  explicit Keeper(const sigset_t& heard) : signals_(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK)) {}

  // Until the program is gone or somebody asks to end.
  void serve() {
    while (hear() == Heard::Request) {
      const auto message = receive_message(kSocket);
      if (!message || message->said != kRun || message->texts.size() < 3 || !run(message->texts)) break;
    }
    end_all(running_);
  }

 private:
  enum class Heard { Request, Child, End };

  Heard hear() {
    for (;;) {
      pollfd files[] = {{kSocket, POLLIN, 0}, {signals_, POLLIN, 0}};
      if (::poll(files, 2, -1) < 0 && errno != EINTR) return Heard::End;
      if (files[0].revents != 0) return Heard::Request;
      signalfd_siginfo signal{};
      while (::read(signals_, &signal, sizeof signal) == sizeof signal)
        if (signal.ssi_signo != SIGCHLD) return Heard::End;
      if (running_ > 0) return Heard::Child;
    }
  }

  // False when the program is gone, or has had enough.
  bool run(const std::vector<std::string>& texts) {
    Command command{{texts.begin() + 2, texts.end()}, number(texts[0]) << 20, number(texts[1])};
    running_ = start(command);
    if (running_ < 0) return send_message(kSocket, kNotStarted, {std::to_string(-running_)});
    for (;;) {
      int status = 0;
      // Before the socket is looked at: the compiler may have ended while nobody listened.
      while (const pid_t ended = ::waitpid(-1, &status, WNOHANG)) {
        if (ended < 0) return false;
        if (ended != running_) continue;
        running_ = -1;
        end_all(-1);
        return send_message(kSocket, kEnded, {std::to_string(status)});
      }
      if (hear() != Heard::Child) return false;
    }
  }

  int signals_ = -1;
  pid_t running_ = -1;
};

// Signals that nobody can hear end a keeper as well. So it works under a guard that does nothing but wait:
// what a killed keeper leaves becomes the guard's, and a keeper whose guard was killed is told to end.
[[noreturn]] void guard(pid_t keeper, const sigset_t& heard, std::optional<PrivateFolder> folder) {
  ::prctl(PR_SET_NAME, kGuardName);
  for (const int file : {kSocket, kOutputFile, kErrors})
    ::close(file);  // or the keeper's end would not be seen
  for (bool there = true; there;) {
    int signal = 0;
    if (::sigwait(&heard, &signal) == 0 && signal != SIGCHLD) ::kill(keeper, SIGTERM);
    int status = 0;
    while (const pid_t ended = ::waitpid(-1, &status, WNOHANG)) {
      if (ended == keeper && WIFEXITED(status)) ::_exit(0);  // it has ended everything itself
      there = there && ended > 0 && ended != keeper;
      if (ended < 0) break;
    }
  }
  end_all(-1);
  static_cast<void>(!::chdir("/"));
  folder.reset();
  ::_exit(0);
}

void work(const sigset_t& heard, pid_t guard, const std::string& folder) {
  ::setpgid(0, 0);  // nobody who signals a group means both
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != guard) return;
  Keeper keeper(heard);
  if (send_message(kSocket, kFolder, {folder})) keeper.serve();
  static_cast<void>(!::chdir("/"));
}

[[noreturn]] void keep() {
  become_background_process(kKeeperName, kErrors - kSocket + 1);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_DFL);
  const sigset_t heard = heard_signals();
  {
    auto folder = PrivateFolder::make();
    const bool entered = folder && ::chdir(folder->path().c_str()) == 0;
    if (entered) {
      // Compilers put their own files in here as well, and their messages are in the language that we read.
      for (const char* name : {"TMPDIR", "PWD"}) ::setenv(name, folder->path().c_str(), 1);
      ::setenv("LC_ALL", "C.UTF-8", 1);
      give_compilers_huge_pages();
    }
    const pid_t self = ::getpid(), keeper = ::fork();
    if (keeper > 0) guard(keeper, heard, std::move(folder));
    if (keeper == 0) work(heard, self, entered ? folder->path().string() : "");
  }
  ::_exit(0);
}

[[gnu::constructor]] void become_a_keeper(int argc, char** argv, char**) {
  if (is_started_as(argc, argv, kKeepArgument)) keep();
}

}  // namespace

pid_t start_keeper(int socket, int output, int errors) {
  return start_this_program(kKeeperName, kKeepArgument, {socket, output, errors});
}

}  // namespace warplens::source::keeper
