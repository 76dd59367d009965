#include "engine/source/nvrtc_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <thread>

#include "engine/source/process.h"

extern char** environ;

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kArgument[] = "--compile-for-socket";
constexpr int kSocketInWorker = 3;
// Whoever waits looks this often for a wish to stop, in milliseconds; and gives NVRTC so long to heed it.
constexpr int kLook = 20;
constexpr auto kGrace = std::chrono::milliseconds(300);
constexpr std::size_t kIdleWorkers = 2;

// ---- messages: a byte that says what it is, and for a request or an answer its texts

enum class Said : char { Request = 'r', Cancel = 'c', Answer = 'a' };

std::string packed(Said said, const std::vector<std::string>& texts) {
  std::string body;
  const auto number = [](std::string& to, std::uint64_t n) {
    to.append(reinterpret_cast<const char*>(&n), sizeof n);
  };
  for (const std::string& text : texts) {
    number(body, text.size());
    body += text;
  }
  std::string message(1, static_cast<char>(said));
  number(message, body.size());
  return message + body;
}

std::vector<std::string> unpacked(const std::string& body) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= body.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, body.data() + at, sizeof size);
    at += sizeof size;
    texts.push_back(body.substr(at, size));
    at += size;
  }
  return texts;
}

bool send_all(int socket, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int socket, void* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::read(socket, static_cast<char*>(to) + done, bytes - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.push_back(std::to_string(from.size()));
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<std::string> texts_of(const std::string& library, const NvrtcRequest& request,
                                  std::uint64_t memory_bytes) {
  std::vector<std::string> texts{library, std::to_string(memory_bytes), request.name, request.text};
  std::vector<std::string> headers;
  for (const auto& [name, text] : request.headers) headers.insert(headers.end(), {name, text});
  append(texts, request.options);
  append(texts, headers);
  append(texts, request.instances);
  return texts;
}

struct Order {
  std::string library;
  std::uint64_t memory_bytes = 0;
  NvrtcRequest request;
};

Order order_of(const std::vector<std::string>& texts) {
  std::size_t at = 0;
  const auto next = [&] { return at < texts.size() ? texts[at++] : std::string(); };
  const auto list = [&] {
    std::vector<std::string> items(std::stoul(next()));
    for (std::string& item : items) item = next();
    return items;
  };
  Order order;
  order.library = next();
  order.memory_bytes = std::stoull(next());
  order.request.name = next();
  order.request.text = next();
  order.request.options = list();
  const std::vector<std::string> headers = list();
  for (std::size_t i = 0; i + 1 < headers.size(); i += 2)
    order.request.headers.emplace_back(headers[i], headers[i + 1]);
  order.request.instances = list();
  return order;
}

// ---- the process that compiles

void carry_out(int socket, const Order& order, Progress& progress) {
  limit_memory_of_this_process(order.memory_bytes);
  NvrtcRequest request = order.request;
  request.progress = &progress;
  const auto nvrtc = Nvrtc::open(order.library);
  Result<NvrtcResult> result = nvrtc ? (*nvrtc)->compile(request) : Result<NvrtcResult>(nvrtc.error());
  const std::string status = result                                        ? "done"
                             : result.error().kind == ErrorKind::Cancelled ? "stopped"
                                                                           : "failed";
  std::vector<std::string> answer{status};
  if (result)
    answer.insert(answer.end(), {result->ok ? "ok" : "", std::move(result->ptx), std::move(result->log)});
  else
    answer.push_back(result.error().message);
  send_all(socket, packed(Said::Answer, answer));
}

// Listens while it compiles, so that it ends at once when the program does.
[[noreturn]] void serve(int socket) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::optional<Progress> progress;
  std::thread task;
  for (char said = 0; read_all(socket, &said, 1);) {
    if (said == static_cast<char>(Said::Cancel)) {
      if (progress) progress->cancel();
      continue;
    }
    std::uint64_t size = 0;
    if (!read_all(socket, &size, sizeof size)) break;
    std::string body(size, '\0');
    if (!read_all(socket, body.data(), size)) break;
    if (task.joinable()) task.join();
    progress.emplace();
    task = std::thread(
        [socket, order = order_of(unpacked(body)), &progress] { carry_out(socket, order, *progress); });
  }
  ::_exit(0);
}

[[gnu::constructor]] void become_a_worker(int argc, char** argv, char**) {
  if (argc == 2 && std::strcmp(argv[1], kArgument) == 0) serve(kSocketInWorker);
}

// ---- the program's side

bool single_threaded() {
  std::error_code error;
  std::size_t threads = 0;
  for (const auto& thread : fs::directory_iterator("/proc/self/task", error)) {
    static_cast<void>(thread);
    ++threads;
  }
  return threads == 1;
}

pid_t start_process(int socket, int others_end) {
  if (single_threaded()) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(others_end);
      serve(socket);
    }
    return child;
  }
  std::error_code ignored;
  const std::string program = fs::read_symlink("/proc/self/exe", ignored).string();
  char* arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(kArgument), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocketInWorker);
  pid_t child = -1;
  if (::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ) != 0) child = -1;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

class Worker {
 public:
  static std::unique_ptr<Worker> start() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
    const pid_t process = start_process(ends[1], ends[0]);
    ::close(ends[1]);
    if (process > 0) return std::unique_ptr<Worker>(new Worker(process, ends[0]));
    ::close(ends[0]);
    return nullptr;
  }
  ~Worker() {
    ::kill(process_, SIGKILL);
    ::close(socket_);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  enum class Heard { Answer, Cancelled, TooLate, Ended };
  Heard ask(const std::string& request, const CompileLimits& limits, const Progress* progress);
  std::vector<std::string> answer() const { return unpacked(received_.substr(kHead)); }

 private:
  static constexpr std::size_t kHead = 1 + sizeof(std::uint64_t);
  Worker(pid_t process, int socket) : process_(process), socket_(socket) {}
  // False: the process has ended.
  bool receive();
  bool complete() const;

  pid_t process_;
  int socket_;
  std::string received_;
};

bool Worker::receive() {
  char buffer[65536];
  const ssize_t n = ::read(socket_, buffer, sizeof buffer);
  if (n > 0) received_.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

bool Worker::complete() const {
  std::uint64_t size = 0;
  if (received_.size() < kHead) return false;
  std::memcpy(&size, received_.data() + 1, sizeof size);
  return received_.size() - kHead >= size;
}

Worker::Heard Worker::ask(const std::string& request, const CompileLimits& limits, const Progress* progress) {
  received_.clear();
  if (!send_all(socket_, request)) return Heard::Ended;
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(limits.seconds, 1e6)));
  bool cancelled = false;
  while (!complete()) {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, kLook) > 0 && !receive()) return Heard::Ended;
    if (!cancelled && progress != nullptr && progress->cancelled()) {
      cancelled = true;
      send_all(socket_, std::string(1, static_cast<char>(Said::Cancel)));
      deadline = std::min(deadline, Clock::now() + kGrace);
    }
    if (Clock::now() > deadline && !complete()) return cancelled ? Heard::Cancelled : Heard::TooLate;
  }
  return Heard::Answer;
}

// Those that wait for work.
class Pool {
 public:
  std::unique_ptr<Worker> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return Worker::start();
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  void give(std::unique_ptr<Worker> worker) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < kIdleWorkers) idle_.push_back(std::move(worker));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

Result<NvrtcResult> result_of(const std::vector<std::string>& answer) {
  if (answer.size() == 4) return NvrtcResult{answer[1] == "ok", answer[2], answer[3]};
  if (!answer.empty() && answer[0] == "stopped")
    return Error{ErrorKind::Cancelled, "the compilation was stopped", {}, {}};
  return Error{ErrorKind::System, answer.size() == 2 ? answer[1] : "NVRTC gave no answer", {}, {}};
}

}  // namespace

Result<NvrtcResult> compile_in_worker(const Nvrtc& nvrtc, const NvrtcRequest& request,
                                      const CompileLimits& limits) {
  // Never destroyed: at the end of the program its processes see that their sockets close, and nobody waits.
  static Pool& pool = *new Pool;
  std::unique_ptr<Worker> worker = pool.take();
  if (worker == nullptr) return Error{ErrorKind::System, "cannot start a process for the compiler", {}, {}};
  const std::string message = packed(Said::Request, texts_of(nvrtc.path(), request, limits.memory_mib << 20));
  switch (worker->ask(message, limits, request.progress)) {
    case Worker::Heard::Answer:
      break;
    case Worker::Heard::Cancelled:
      return Error{ErrorKind::Cancelled, "the compilation was stopped", {}, {}};
    case Worker::Heard::TooLate:
      return took_too_long("NVRTC", request.name, limits);
    case Worker::Heard::Ended:
      return took_too_much("NVRTC", request.name, limits);
  }
  Result<NvrtcResult> result = result_of(worker->answer());
  pool.give(std::move(worker));
  return result;
}

}  // namespace warplens::source
