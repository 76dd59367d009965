// The one device of a program: its memory, its modules, what went wrong, what was not there.
//
//   cudaError_t cudaFree(void* p) { return call([&](Context& c) { ... return cudaSuccess; }); }
//
// Work is done when it is asked for: streams keep their order because nothing ever waits in them. Calls of
// several host threads take turns.
#pragma once

#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>

#include "engine/analysis/device.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/message.h"
#include "engine/runtime/api.h"
#include "engine/runtime/arena.h"
#include "engine/runtime/device_clock.h"
#include "engine/runtime/host_guard.h"
#include "engine/runtime/modules.h"
#include "engine/runtime/repeats.h"
#include "engine/runtime/run_log.h"
#include "engine/runtime/settings.h"
#include "engine/runtime/stream_order.h"

namespace warplens::runtime {

class Context {
 public:
  Context();

  Arena arena;
  Modules modules{arena};
  Settings settings;
  RunLog log;
  DeviceClock clock;
  Repeats repeats;
  bool told_of_repeats = false;
  std::recursive_mutex mutex;

  // A kernel has faulted: from the next call that looks on, every call answers with this, as on a GPU.
  cudaError_t fault = cudaSuccess;
  bool fault_seen = false;
  std::uint64_t launches = 0;  // so far
  // Accesses out of bounds that a GPU lets pass: told once a kernel and line, and how many launches had any.
  std::set<std::pair<std::string, int>> strays_told;
  std::uint64_t launches_with_strays = 0;
  std::uint64_t thread_instructions = 0;
  std::optional<HostGuard> guard;    // with every check
  std::optional<StreamOrder> order;  // likewise; not with launches that are passed over
  // What a kernel has printed, and no call of the program has come by since; empty: nothing.
  std::string printed_by;
  int calls = 0;                // that are being carried out, one within the other
  std::uint64_t workspace = 0;  // where a cooperative grid counts its arrivals
  unsigned flags = cudaDeviceScheduleAuto;
  // The stream that a graph is being launched into: what its nodes do is done there, wherever it was
  // captured.
  std::optional<std::uint64_t> graph_in;
  // Orders of streams are followed, and there are several: of an operation what it touches is wanted.
  bool follows_order() const { return order && order->watches(); }
  // The host waits, where somebody follows that. What a graph does it does not wait for.
  void host_waited_for(std::uint64_t stream) {
    if (follows_order() && !graph_in) order->host_waits(order->moment(stream));
  }
  void host_waited_for_all() {
    if (order && !graph_in) order->host_waits_for_all();
  }

  const analysis::Device& device();
  const analysis::ComputeCapability& capability();
  const Catalogue& texts();

  // Says once on standard error, and in the report, that something is not there. Returns
  // cudaErrorNotSupported.
  cudaError_t not_supported(const std::string& what, const std::string& why = {});
  // Says once that a call of a library was computed on the CPU: none of its kernels was emulated.
  void not_emulated(const std::string& what);
  // Says something once.
  void note(const std::string& text);
  // How often something was said, or would have been once more.
  std::uint64_t notes() const { return notes_; }
  // Says once a line that a call was answered with an error that only a wrong call gets: many programs do not
  // look.
  void tell_answer(cudaError_t error);
  void reset();

 private:
  std::optional<analysis::DeviceCatalogue> devices_;
  std::optional<Catalogue> texts_;
  std::set<std::string> said_;
  std::uint64_t notes_ = 0, answers_told_ = 0;
};

Context& context();

// The last error of this host thread.
cudaError_t& last_error();
cudaError_t error_of(const Error& error);

// While a call of the program is carried out.
class InCall {
 public:
  explicit InCall(Context& all) : all_(all), launches_(all.launches) {
    if (all_.guard) all_.guard->enter();
    ++all_.calls;
  }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() {
    --all_.calls;
    const bool waited = all_.launches == launches_;
    if (waited) all_.printed_by.clear();
    if (all_.guard) all_.guard->leave(waited);
  }

 private:
  Context& all_;
  std::uint64_t launches_;
};

// Runs the body of a function of the API: one at a time, nothing but a fault once there was one.
template <typename Body>
cudaError_t call(Body&& body) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  const InCall in_call(all);
  const std::uint64_t notes = all.notes();
  cudaError_t result = cudaErrorUnknown;
  try {
    if (all.fault != cudaSuccess) all.fault_seen = true;
    result = all.fault != cudaSuccess ? all.fault : body(all);
  } catch (const std::bad_alloc&) {
    result = cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    all.note(error.what());
  }
  if (result != cudaSuccess && result != cudaErrorNotReady) {
    last_error() = result;
    if (all.calls == 1 && notes == all.notes() && all.fault == cudaSuccess) all.tell_answer(result);
  }
  return result;
}

}  // namespace warplens::runtime
