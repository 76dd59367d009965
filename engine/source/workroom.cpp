#include "engine/source/workroom.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine/base/message.h"
#include "engine/source/background_process.h"
#include "engine/source/keeper.h"
#include "engine/source/socket_messages.h"

namespace warplens::source {
namespace {

using Clock = std::chrono::steady_clock;

// A compiler that floods its error stream must not fill our memory.
constexpr std::size_t kMaxOutput = std::size_t{64} << 20;
// Whoever waits looks this often for a wish to stop, in milliseconds.
constexpr int kRoomLook = 20;
constexpr double kRoomPatience = 10;  // seconds for a keeper to end what is there
constexpr double kLongest = 1e6;      // seconds: a limit beyond it is none

// `key`: of compile.keeper.
Error keeper_error(const char* key, const std::string& why = {}) {
  return told(ErrorKind::System, {std::string("compile.keeper.") + key, {{"why", value_of(why)}}});
}

class Ends {
 public:
  ~Ends() {
    for (const int file : files_)
      if (file >= 0) ::close(file);
  }
  Ends() = default;
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  bool open_pipe() { return ::pipe2(files_.data(), O_CLOEXEC) == 0; }
  bool open_sockets() {
    int ends[2];
    if (!make_socket_pair(ends)) return false;
    files_ = {ends[0], ends[1]};
    return true;
  }
  int ours() const { return files_[0]; }
  int theirs() const { return files_[1]; }
  int take_ours() { return std::exchange(files_[0], -1); }
  void close_theirs() { ::close(std::exchange(files_[1], -1)); }

 private:
  std::array<int, 2> files_{-1, -1};
};

// Takes a piece of what is there; false when there is nothing now. The keeper holds the other end, so that
// the stream itself never ends.
bool drain(int file, std::string& into) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(file, buffer.data(), buffer.size());
  if (n > 0 && into.size() < kMaxOutput) into.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

int exit_status(const std::string& waited) {
  const int raw = std::atoi(waited.c_str());
  if (WIFEXITED(raw)) return WEXITSTATUS(raw);
  return 128 + (WIFSIGNALED(raw) ? WTERMSIG(raw) : 0);
}

// Beyond what it can need within its time on all processors: should its keeper be killed, nothing that
// computes goes on for ever.
std::string processor_seconds(double seconds) {
  const double processors = std::max(1u, std::thread::hardware_concurrency());
  return std::to_string(static_cast<std::uint64_t>(std::ceil(seconds) * processors) + 10);
}

}  // namespace

Result<std::unique_ptr<Workroom>> Workroom::open() {
  Ends socket, output, errors;
  if (!socket.open_sockets() || !output.open_pipe() || !errors.open_pipe())
    return keeper_error("no_pipe", std::strerror(errno));
  const pid_t keeper = keeper::start_keeper(socket.theirs(), output.theirs(), errors.theirs());
  if (keeper < 0) return keeper_error("not_started");
  for (const int file : {output.ours(), errors.ours()}) ::fcntl(file, F_SETFL, O_NONBLOCK);
  std::unique_ptr<Workroom> room(
      new Workroom(keeper, socket.take_ours(), output.take_ours(), errors.take_ours()));
  socket.close_theirs();  // or its end would never be seen
  const auto told = receive_message(room->socket_);
  if (!told || told->said != keeper::kFolder || told->texts.empty()) return keeper_error("ended");
  if (told->texts[0].empty()) return keeper_error("no_folder");
  room->folder_ = told->texts[0];
  return room;
}

void Workroom::close() {
  if (keeper_ < 0) return;
  for (int* const file : {&socket_, &output_, &errors_}) ::close(std::exchange(*file, -1));
  wait_for_end(std::exchange(keeper_, -1), kRoomPatience);
  // Should somebody have killed the keeper.
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Workroom::~Workroom() {
  close();
}

Result<ProcessResult> Workroom::run(const std::vector<std::string>& command, const ProcessOptions& options) {
  if (command.empty()) return Error{ErrorKind::Usage, "no program to start", {}, {}};
  const double seconds = std::min(options.limits.seconds, kLongest);
  std::vector<std::string> request{std::to_string(options.limits.memory_mib), processor_seconds(seconds)};
  request.insert(request.end(), command.begin(), command.end());
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  if (keeper_ < 0 || !send_message(socket_, keeper::kRun, request)) return keeper_error("ended");

  ProcessResult result;
  IncomingMessage answer;
  while (!answer.complete()) {
    std::array<pollfd, 3> files{pollfd{socket_, POLLIN, 0}, pollfd{output_, POLLIN, 0},
                                pollfd{errors_, POLLIN, 0}};
    if (::poll(files.data(), files.size(), kRoomLook) < 0 && errno != EINTR) break;
    if (files[0].revents != 0 && !answer.receive(socket_)) break;
    drain(output_, result.out);
    drain(errors_, result.err);
    if (options.progress != nullptr && options.progress->cancelled()) {
      close();
      return told(ErrorKind::Cancelled, {"compile.stopped", {}});
    }
    if (Clock::now() > deadline && !answer.complete()) {
      close();
      return took_too_long(std::filesystem::path(command[0]).filename().string(), "", options.limits);
    }
  }
  if (!answer.complete()) return keeper_error("ended");
  const SocketMessage message = answer.take();
  const std::string value = message.texts.empty() ? "" : message.texts[0];
  if (message.said == keeper::kNotStarted)
    return told(ErrorKind::System, {"compile.keeper.no_program",
                                    {{"program", value_of(command[0])},
                                     {"why", value_of(std::strerror(std::atoi(value.c_str())))}}});
  while (drain(output_, result.out)) {
  }
  while (drain(errors_, result.err)) {
  }
  result.status = exit_status(value);
  return result;
}

}  // namespace warplens::source
