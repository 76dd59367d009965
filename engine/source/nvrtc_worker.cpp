#include "engine/source/nvrtc_worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/message.h"
#include "engine/source/background_process.h"
#include "engine/source/process.h"
#include "engine/source/socket_messages.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kCompilerName[] = "nvrtc-compiler", kCompileArgument[] = "--compile-for-socket";
constexpr int kSocketInWorker = kFirstHandedOver;
// Whoever waits looks this often for a wish to stop, in milliseconds; and gives NVRTC so long to heed it.
constexpr int kLook = 20;
constexpr auto kGrace = std::chrono::milliseconds(300);
constexpr std::size_t kIdleWorkers = 2;

constexpr char kRequest = 'r', kCancel = 'c', kAnswer = 'a';

// ---- a request as texts

void append_list(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.push_back(std::to_string(from.size()));
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<std::string> texts_of(const std::string& library, const NvrtcRequest& request,
                                  std::uint64_t memory_bytes) {
  std::vector<std::string> texts{library, std::to_string(memory_bytes), request.name, request.text};
  std::vector<std::string> headers;
  for (const auto& [name, text] : request.headers) headers.insert(headers.end(), {name, text});
  append_list(texts, request.options);
  append_list(texts, headers);
  append_list(texts, request.instances);
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
  send_message(socket, kAnswer, answer);
}

// Listens while it compiles, so that it ends at once when the program does.
[[noreturn]] void serve() {
  become_background_process(kCompilerName, 1);
  std::optional<Progress> progress;
  std::thread task;
  while (const auto message = receive_message(kSocketInWorker)) {
    if (message->said == kCancel) {
      if (progress) progress->cancel();
      continue;
    }
    if (task.joinable()) task.join();
    progress.emplace();
    task = std::thread(
        [order = order_of(message->texts), &progress] { carry_out(kSocketInWorker, order, *progress); });
  }
  ::_exit(0);
}

[[gnu::constructor]] void become_a_worker(int argc, char** argv, char**) {
  if (is_started_as(argc, argv, kCompileArgument)) serve();
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

pid_t start_process(int socket) {
  if (!single_threaded()) return start_this_program(kCompilerName, kCompileArgument, {socket});
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (socket != kSocketInWorker) ::dup2(socket, kSocketInWorker);
  serve();
}

class Worker {
 public:
  static std::unique_ptr<Worker> start() {
    int ends[2];
    if (!make_socket_pair(ends)) return nullptr;
    const pid_t process = start_process(ends[1]);
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
  Heard ask(const std::vector<std::string>& request, const CompileLimits& limits, const Progress* progress);
  std::vector<std::string> answer() { return received_.take().texts; }

 private:
  Worker(pid_t process, int socket) : process_(process), socket_(socket) {}

  pid_t process_;
  int socket_;
  IncomingMessage received_;
};

Worker::Heard Worker::ask(const std::vector<std::string>& request, const CompileLimits& limits,
                          const Progress* progress) {
  received_ = {};
  if (!send_message(socket_, kRequest, request)) return Heard::Ended;
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(limits.seconds, 1e6)));
  bool cancelled = false;
  while (!received_.complete()) {
    pollfd wait{socket_, POLLIN, 0};
    if (::poll(&wait, 1, kLook) > 0 && !received_.receive(socket_)) return Heard::Ended;
    if (!cancelled && progress != nullptr && progress->cancelled()) {
      cancelled = true;
      send_message(socket_, kCancel);
      deadline = std::min(deadline, Clock::now() + kGrace);
    }
    if (Clock::now() > deadline && !received_.complete())
      return cancelled ? Heard::Cancelled : Heard::TooLate;
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
  if (!answer.empty() && answer[0] == "stopped") return told(ErrorKind::Cancelled, {"compile.stopped", {}});
  if (answer.size() == 2) return Error{ErrorKind::System, answer[1], {}, {}};
  return told(ErrorKind::System, {"compile.nvrtc.silent", {}});
}

}  // namespace

Result<NvrtcResult> compile_in_worker(const Nvrtc& nvrtc, const NvrtcRequest& request,
                                      const CompileLimits& limits) {
  // Never destroyed: at the end of the program its processes see that their sockets close, and nobody waits.
  static Pool& pool = *new Pool;
  std::unique_ptr<Worker> worker = pool.take();
  if (worker == nullptr) return told(ErrorKind::System, {"compile.keeper.not_started", {}});
  const std::vector<std::string> texts = texts_of(nvrtc.path(), request, limits.memory_mib << 20);
  switch (worker->ask(texts, limits, request.progress)) {
    case Worker::Heard::Answer:
      break;
    case Worker::Heard::Cancelled:
      return told(ErrorKind::Cancelled, {"compile.stopped", {}});
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
