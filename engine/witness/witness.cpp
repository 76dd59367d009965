// The library's door: the driver calls InitializeInjection() when the program first asks it for something
// (CUDA_INJECTION64_PATH). From then on every launch, copy, fill and wait is written to the log of
// `warplens run --on gpu`; the program itself goes on as it is.
#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/gpu/counters_library.h"
#include "engine/runtime/kept_files.h"
#include "engine/runtime/settings.h"
#include "engine/witness/activity.h"
#include "engine/witness/calls.h"
#include "engine/witness/clock.h"
#include "engine/witness/log.h"

namespace warplens::witness {
namespace {

// The errors after which nothing more runs: a kernel has faulted.
constexpr std::array kFatal{
    CUDA_ERROR_ILLEGAL_ADDRESS,       CUDA_ERROR_LAUNCH_TIMEOUT,      CUDA_ERROR_ASSERT,
    CUDA_ERROR_HARDWARE_STACK_ERROR,  CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS,
    CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC,          CUDA_ERROR_LAUNCH_FAILED};

struct State {
  runtime::Settings settings;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiGetStreamIdEx) stream_id = nullptr;
  std::mutex mutex;
  std::map<std::string, std::uint64_t> launches;  // of each kernel, so far
  std::map<std::string, std::string> shown;       // demangled names
  std::map<CUcontext, bool> contexts;
  std::uint64_t streams = 1;  // so far; 0 is the default one, 1 that of each thread
  bool told_error = false;
  std::atomic<std::int64_t> spent{0};
};
State& state() {
  static State& instance = *new State;
  return instance;
}

thread_local bool t_inside = false;     // calls of our own are not the program's
thread_local bool t_capturing = false;  // the launch is recorded into a graph, and does not start
thread_local std::uint64_t t_begin = 0;

// Time in the witness's own code, for the time of a callback.
class Spent {
 public:
  Spent() : begin_(std::chrono::steady_clock::now()) { t_inside = true; }
  ~Spent() {
    t_inside = false;
    state().spent += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin_).count();
  }
  Spent(const Spent&) = delete;
  Spent& operator=(const Spent&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_;
};

std::uint64_t now() {
  std::uint64_t at = 0;
  state().timestamp(&at);
  return at;
}

const std::string& shown_name(const std::string& mangled) {
  std::string& name = state().shown[mangled];
  if (!name.empty()) return name;
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  return name;
}

void tell_stream(CUcontext context, CUstream stream, std::uint64_t number) {
  std::uint32_t id = 0;
  if (state().stream_id != nullptr && state().stream_id(context, stream, 0, &id) == CUPTI_SUCCESS)
    log().write({{"stream", {{"id", id}, {"number", number}}}});
}

bool is_chosen(const std::string& kernel, std::uint64_t number) {
  return std::ranges::any_of(state().settings.kept, [&](const runtime::KeptLaunches& kept) {
    return number >= kept.first && number <= kept.last &&
           runtime::is_called(shown_name(kernel), kernel, kept.kernel);
  });
}

void before_launch(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const auto launch = launch_of(id, call.functionParams);
  if (!launch) return;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  t_capturing = driver().is_capturing(launch->stream, &capture) == CUDA_SUCCESS &&
                capture != CU_STREAM_CAPTURE_STATUS_NONE;
  if (t_capturing) return;
  const std::string kernel = call.symbolName == nullptr ? "" : call.symbolName;
  bool chosen = false;
  {
    const std::lock_guard lock(state().mutex);
    if (!state().contexts[call.context]) tell_stream(call.context, nullptr, 0);
    state().contexts[call.context] = true;
    const std::uint64_t number = state().launches[kernel]++;
    chosen = !state().settings.kept.empty() && is_chosen(kernel, number);
  }
  log().write({{"asked",
                {{"id", call.correlationId},
                 {"kernel", kernel},
                 {"grid", launch->grid},
                 {"block", launch->block},
                 {"shared_bytes", launch->shared_bytes},
                 {"begin", seconds_at(now())}}}});
  if (chosen) keep(*launch, call.correlationId, state().settings);
}

void after_launch(const CUpti_CallbackData& call) {
  const auto result = *static_cast<const CUresult*>(call.functionReturnValue);
  if (!t_capturing && result != CUDA_SUCCESS)
    log().write({{"refused", {{"id", call.correlationId}, {"error", name_of(result)}}}});
}

// What was measured so far goes to the log where the program waits anyway, but not at every step of a loop:
// a program that ends without a word (a signal, _exit) takes only the rest with it.
void flush_now_and_then() {
  constexpr std::uint64_t kApart = 20'000'000;
  static std::atomic<std::uint64_t> last{0};
  const std::uint64_t at = now();
  if (std::uint64_t before = last.load(); at > before + kApart && last.compare_exchange_strong(before, at))
    flush_activity();
}

// A kernel's fault is first heard of by whoever waits.
void tell_fault(const CUpti_CallbackData& call, CUresult result) {
  if (std::ranges::find(kFatal, result) == kFatal.end()) return;
  {
    const std::lock_guard lock(state().mutex);
    if (std::exchange(state().told_error, true)) return;
  }
  flush_activity();  // may wait for other threads, which may want the lock
  log().write({{"error", {{"call", call.functionName}, {"error", name_of(result)}}}});
}

void before(const Watched& what, const CUpti_CallbackData& call) {
  if (what.role == Role::Launch) before_launch(what.id, call);
  if (what.role == Role::Free && call.functionParams != nullptr) note_free(what.id, call.functionParams);
  if (what.role == Role::Wait) t_begin = now();
}

void after(const Watched& what, const CUpti_CallbackData& call) {
  const auto result = *static_cast<const CUresult*>(call.functionReturnValue);
  tell_fault(call, result);
  if (what.role == Role::Launch) after_launch(call);
  if (what.role == Role::Wait)
    log().write({{"wait",
                  {{"call", call.functionName},
                   {"begin", seconds_at(t_begin)},
                   {"seconds", seconds_between(t_begin, now())}}}});
  if (what.role == Role::Wait || what.role == Role::Copy) flush_now_and_then();
  if (result != CUDA_SUCCESS) return;
  if (what.role == Role::Allocate) note_allocation(what.id, call.functionParams);
  if (what.role == Role::Stream) {
    const std::lock_guard lock(state().mutex);
    tell_stream(call.context, created_stream(what.id, call.functionParams), ++state().streams);
  }
}

void CUPTIAPI on_call(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (t_inside || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const Watched* const what = watched(id);
  if (what == nullptr) return;
  const Spent spent;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_ENTER)
    before(*what, call);
  else
    after(*what, call);
}

void at_end() {
  flush_activity();
  log().write({{"overhead", {{"seconds", static_cast<double>(state().spent.load()) * 1e-9}}}});
}

const char* subscribe(const gpu::CountersLibrary& cupti) {
  const auto subscriber = cupti.symbol<decltype(&cuptiSubscribe)>("cuptiSubscribe");
  const auto enable = cupti.symbol<decltype(&cuptiEnableCallback)>("cuptiEnableCallback");
  state().timestamp = cupti.symbol<decltype(&cuptiGetTimestamp)>("cuptiGetTimestamp");
  state().stream_id = cupti.symbol<decltype(&cuptiGetStreamIdEx)>("cuptiGetStreamIdEx");
  if (subscriber == nullptr || enable == nullptr || state().timestamp == nullptr) return "dlsym";
  CUpti_SubscriberHandle handle = nullptr;
  if (subscriber(&handle, on_call, nullptr) != CUPTI_SUCCESS) return "cuptiSubscribe";
  for (const Watched& one : watched_calls())
    if (enable(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, one.id) != CUPTI_SUCCESS) return "cuptiEnableCallback";
  return nullptr;
}

// Nothing, or what is not there.
const char* start(const runtime::Settings& settings) {
  state().settings = settings;
  log().open(settings.log);
  if (!find_driver()) return "libcuda.so.1";
  const gpu::CountersLibrary* const cupti = gpu::CountersLibrary::open();
  if (cupti == nullptr) return "libcupti.so.13";
  if (const char* const missing = subscribe(*cupti); missing != nullptr) return missing;
  set_start(settings.started, now());
  return start_activity(*cupti);
}

}  // namespace
}  // namespace warplens::witness

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace warplens::witness;
  const char* const text = std::getenv("WARPLENS_RUN");
  if (text == nullptr) return 0;
  const auto settings = warplens::runtime::parse_settings(text);
  if (!settings || !settings->on_gpu) return 0;
  if (const char* const missing = start(*settings); missing != nullptr)
    log().write({{"blind", missing}});
  else
    std::atexit(at_end);
  return 1;
}
