#include "app/model/program/program_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

#include "engine/base/json_text.h"
#include "engine/base/message.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kTurn = 100;       // milliseconds
constexpr double kToFollow = 3;  // seconds that an interrupted program has to end by itself
constexpr winsize kScreen{40, 120, 0, 0};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Error system_error(const char* key, int error) {
  return told(ErrorKind::System, {key, {{"why", value_of(std::generic_category().message(error))}}});
}

class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  void open(int number) {
    close();
    number_ = number;
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// All that the child needs, made before the fork: this process has threads.
struct Start {
  std::vector<char*> words, environment;
  std::string terminal, folder;
  int report = -1;
  pid_t parent = 0;
};

// Between fork and exec: nothing but what is safe there.
[[noreturn]] void become(Start& start) {
  const auto give_up = [&] {
    const int error = errno;
    static_cast<void>(!::write(start.report, &error, sizeof error));
    ::_exit(127);
  };
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(127);
  const int terminal = ::open(start.terminal.c_str(), O_RDWR);
  if (terminal < 0) give_up();
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, stream);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::chdir(start.folder.c_str()) != 0) give_up();
  ::execve(start.words[0], start.words.data(), start.environment.data());
  give_up();
  ::_exit(127);
}

// The other end of the program's terminal. It echoes nothing and ends lines as they are.
Result<int> open_terminal(std::string& name) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  std::array<char, 128> path{};
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0 ||
      ::ptsname_r(terminal, path.data(), path.size()) != 0) {
    const int error = errno;
    if (terminal >= 0) ::close(terminal);
    return system_error("run.no_terminal", error);
  }
  name = path.data();
  termios how{};
  ::tcgetattr(terminal, &how);
  how.c_lflag &= static_cast<tcflag_t>(~ECHO);
  how.c_oflag &= static_cast<tcflag_t>(~ONLCR);
  ::tcsetattr(terminal, TCSANOW, &how);
  ::ioctl(terminal, TIOCSWINSZ, &kScreen);
  return terminal;
}

// User and system time of a process, in ticks; the two fields stand behind the name, which may hold anything.
std::uint64_t processor_time(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::size_t at = text.rfind(')');
  std::uint64_t sum = 0;
  for (int field = 2; at != std::string::npos && field < 15; ++field) {
    at = text.find(' ', at + 1);
    if (at == std::string::npos || field < 13) continue;
    std::uint64_t ticks = 0;
    std::from_chars(text.data() + at + 1, text.data() + text.size(), ticks);
    sum += ticks;
  }
  return sum;
}

class Watched {
 public:
  Watched(const runtime::Settings& settings, ProgramWatcher& watcher)
      : settings_(settings), watcher_(watcher) {}

  // Nothing, or why it could not be started.
  Status start(const std::vector<std::string>& command, const fs::path& folder) {
    std::vector<std::string> words = command, environment = program_environment(command[0], settings_);
    Start how;
    const auto terminal = open_terminal(how.terminal);
    if (!terminal) return terminal.error();
    terminal_.open(*terminal);
    int report[2];
    if (::pipe2(report, O_CLOEXEC) != 0) return system_error("run.no_pipe", errno);
    const File reads(report[0]);
    File writes(report[1]);
    how.words = pointers(words);
    how.environment = pointers(environment);
    how.folder = folder.string();
    how.report = report[1];
    how.parent = ::getpid();
    begin_ = changed_ = Clock::now();
    child_ = ::fork();
    if (child_ == 0) become(how);
    if (child_ < 0) return system_error("run.not_started", errno);
    writes.close();
    int error = 0;
    if (::read(reads.number(), &error, sizeof error) <= 0) return Done{};
    ::waitpid(child_, nullptr, 0);
    return told(ErrorKind::Usage,
                {"run.cannot_be_started", {{"why", value_of(std::generic_category().message(error))}}},
                {error == ENOENT || error == ENOTDIR ? folder.string() : words[0], 0, 0});
  }

  ProgramEnd watch(const std::vector<std::string>& command) {
    for (bool running = true; running;) {
      wait();
      siginfo_t ended{};
      // Not taken yet: its number is its group's, which nobody else may get before all of that is ended.
      running = ::waitid(P_PID, static_cast<id_t>(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                ended.si_pid == 0;
      const bool said = hear() + learn() > 0;
      if (said || processor_time(child_) != ticks_) {
        ticks_ = processor_time(child_);
        changed_ = Clock::now();
      }
      watcher_.on_turn(seconds_since(changed_));
      if (running) follow();
    }
    const double seconds = seconds_since(begin_);
    ::kill(-child_, SIGKILL);  // what it has started and left
    int status = 0;
    ::waitpid(child_, &status, 0);
    while (hear() > 0) {
    }
    learn();
    watcher_.on_turn(0);
    ProgramEnd end = program_end(status, seconds, command, settings_);
    if (end.exit_code == runtime::kBudgetRanOut && out_of_budget_) end.ending = "budget";
    if (asked_) end.ending = "interrupted";
    return end;
  }

 private:
  void wait() {
    input_ += watcher_.typed();
    pollfd files[] = {
        {terminal_.number(), static_cast<short>(input_.empty() ? POLLIN : POLLIN | POLLOUT), 0}};
    if (::poll(files, 1, kTurn) <= 0) return;
    if ((files[0].revents & POLLOUT) != 0 && !input_.empty())
      if (const auto done = ::write(terminal_.number(), input_.data(), input_.size()); done > 0)
        input_.erase(0, static_cast<std::size_t>(done));
    // Its last process has closed it, and may yet live: no reason to look without a pause.
    if ((files[0].revents & POLLHUP) != 0 && (files[0].revents & POLLIN) == 0) ::poll(nullptr, 0, kTurn / 4);
  }

  std::size_t hear() {
    std::size_t all = 0;
    for (int i = 0; i < 16; ++i) {
      const auto size = ::read(terminal_.number(), buffer_.data(), buffer_.size());
      if (size <= 0) break;
      watcher_.on_output({buffer_.data(), static_cast<std::size_t>(size)});
      all += static_cast<std::size_t>(size);
    }
    return all;
  }

  // What was appended to its log since; half a line waits for its end.
  std::size_t learn() {
    if (!log_) log_.open(::open(settings_.log.c_str(), O_RDONLY | O_CLOEXEC));
    if (!log_) return 0;
    std::size_t all = 0;
    for (ssize_t size = 0; (size = ::read(log_.number(), buffer_.data(), buffer_.size())) > 0;) {
      all += static_cast<std::size_t>(size);
      line_.append(buffer_.data(), static_cast<std::size_t>(size));
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1)
        tell(parse_ordered_json(std::string_view(line_).substr(begin, end - begin)));
      line_.erase(0, begin);
    }
    return all;
  }
  void tell(const RunEvents::Json& line) {
    if (!line.is_object()) return;
    if (line.contains("launch") && line["launch"].value("ending", "") == "budget") out_of_budget_ = true;
    watcher_.on_event(line);
  }

  void follow() {
    const ProgramWatcher::Wish wish = watcher_.wish();
    if (wish == ProgramWatcher::Wish::GoOn) return;
    if (wish == ProgramWatcher::Wish::Kill || (asked_ && seconds_since(*asked_) > kToFollow))
      ::kill(-child_, SIGKILL);
    if (asked_) return;
    asked_ = Clock::now();
    ::kill(-child_, SIGINT);
  }

  const runtime::Settings& settings_;
  ProgramWatcher& watcher_;
  File terminal_, log_;
  pid_t child_ = -1;
  Clock::time_point begin_, changed_;
  std::optional<Clock::time_point> asked_;
  std::uint64_t ticks_ = 0;
  std::string input_, line_;
  std::array<char, 65536> buffer_{};
  bool out_of_budget_ = false;
};

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

Result<ProgramEnd> run_watched(const std::vector<std::string>& command, const fs::path& folder,
                               runtime::Settings settings, const fs::path& private_folder,
                               ProgramWatcher& watcher) {
  settings.log = (private_folder / "warplens_log").string();
  std::error_code ignored;
  fs::remove(settings.log, ignored);
  const auto watched = std::make_unique<Watched>(settings, watcher);
  if (const Status started = watched->start(command, folder); !started) return started.error();
  ProgramEnd end = watched->watch(command);
  std::ifstream log(settings.log, std::ios::binary);
  end.log.assign(std::istreambuf_iterator<char>(log), {});
  fs::remove(settings.log, ignored);
  return end;
}

}  // namespace warplens::model
