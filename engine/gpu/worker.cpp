#include "engine/gpu/worker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "engine/base/message.h"
#include "engine/gpu/channel.h"
#include "engine/gpu/clean_cache.h"
#include "engine/gpu/counters.h"
#include "engine/gpu/device.h"
#include "engine/gpu/device_launch.h"
#include "engine/gpu/driver.h"
#include "engine/gpu/error_frame.h"
#include "engine/gpu/launch_json.h"
#include "engine/gpu/library_product.h"
#include "engine/gpu/stopwatch.h"
#include "engine/gpu/streams.h"
#include "engine/gpu/transfers.h"
#include "engine/gpu/worker_record.h"

namespace warplens::gpu {
namespace {

using Json = nlohmann::json;

// The worker's side of a session. Every handler returns the answer or an error; none of them throws on
// purpose.
class Worker {
 public:
  explicit Worker(Channel& channel) : channel_(channel) {}

  Result<Frame> answer(const Frame& request) {
    static const std::map<std::string, Result<Frame> (Worker::*)(const Frame&)> handlers{
        {"open", &Worker::open},           {"run", &Worker::run},
        {"time", &Worker::time},           {"record", &Worker::record},
        {"transfers", &Worker::transfers}, {"streams", &Worker::streams},
        {"counters", &Worker::counters},   {"product", &Worker::product}};
    const std::string what = request.head.value("do", "");
    const auto handler = handlers.find(what);
    if (handler == handlers.end())
      return told(ErrorKind::System, {"gpu.worker.unknown", {{"what", value_of(what)}}});
    return (this->*handler->second)(request);
  }

 private:
  Result<Frame> open(const Frame& request) {
    const auto driver = Driver::load();
    if (!driver) return driver.error();
    driver_ = *driver;
    const int ordinal = request.head.at("device");
    const Discovery& found = discover();
    if (ordinal < 0 || ordinal >= static_cast<int>(found.devices.size()))
      return told(
          ErrorKind::Usage,
          {"gpu.none.of_number", {{"number", value_of(ordinal)}, {"count", value_of(found.devices.size())}}});
    info_ = found.devices[static_cast<std::size_t>(ordinal)];
    DeviceOrdinal device = 0;
    CudaResult code = driver_->device_get(&device, ordinal);
    if (code == 0) code = driver_->primary_retain(&context_, device);
    if (code == 0) code = driver_->set_current(context_);
    if (code != 0) return driver_->error(code, "use_gpu");
    auto module = load(request.blobs.at(0));
    if (!module) return module.error();
    module_ = *module;
    initial_.emplace(*driver_);
    return Frame{Json::object(), {}};
  }

  Result<ModuleHandle> load(std::vector<std::uint8_t> ptx, bool optimise = true) {
    ptx.push_back(0);
    std::string log(8192, '\0');
    const auto number = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
    int options[] = {kJitErrorLog, kJitErrorLogBytes, kJitOptimisation};
    void* values[] = {log.data(), number(log.size()), number(optimise ? 4 : 0)};
    ModuleHandle module = nullptr;
    if (const CudaResult code = driver_->module_load(&module, ptx.data(), 3, options, values); code != 0) {
      Error error = driver_->error(code, "load_ptx");
      error.kind = ErrorKind::Compile;
      if (log[0] != '\0') error.notes.push_back(log.c_str());
      return error;
    }
    return module;
  }

  Result<DeviceLaunch> prepared(const Frame& request) {
    if (module_ == nullptr) return told(ErrorKind::System, {"gpu.worker.no_module", {}});
    const auto launch = launch_from_json(request.head.at("launch"));
    if (!launch) return launch.error();
    return DeviceLaunch::prepare(*driver_, module_, *launch, request.head.value("cooperative", false),
                                 *initial_);
  }

  Result<double> once(DeviceLaunch& launch) {
    EventHandle from = nullptr, to = nullptr;
    CudaResult code = driver_->event_create(&from, 0);
    if (code == 0) code = driver_->event_create(&to, 0);
    if (code == 0) code = driver_->event_record(from, nullptr);
    if (code != 0) return driver_->error(code, "record_event");
    if (const Status s = launch.enqueue(nullptr); !s) return s.error();
    if (code = driver_->event_record(to, nullptr); code != 0) return driver_->error(code, "record_event");
    if (const Status s = launch.wait(); !s) return s.error();
    float milliseconds = 0;
    code = driver_->event_elapsed(&milliseconds, from, to);
    driver_->event_destroy(from);
    driver_->event_destroy(to);
    if (code != 0) return driver_->error(code, "read_event");
    return static_cast<double>(milliseconds);
  }

  static Json facts(const DeviceLaunch& launch, double milliseconds) {
    return {{"milliseconds", milliseconds},
            {"registers", launch.attribute(kFunctionRegisters)},
            {"static_shared", launch.attribute(kFunctionStaticShared)},
            {"local_bytes", launch.attribute(kFunctionLocalBytes)}};
  }

  Result<Frame> run(const Frame& request) {
    auto launch = prepared(request);
    if (!launch) return launch.error();
    const auto milliseconds = once(*launch);
    if (!milliseconds) return milliseconds.error();
    Frame out{facts(*launch, *milliseconds), {}};
    if (!request.head.value("results", true)) return out;
    auto buffers = launch->read_buffers();
    if (!buffers) return buffers.error();
    out.blobs = std::move(*buffers);
    return out;
  }

  Status make_stopwatch() {
    if (stopwatch_) return Done{};
    auto made = Stopwatch::make(*driver_, info_.cc_major * 10 + info_.cc_minor);
    if (!made) return made.error();
    stopwatch_.emplace(std::move(*made));
    return Done{};
  }

  Result<Frame> time(const Frame& request) {
    auto launch = prepared(request);
    if (!launch) return launch.error();
    if (const Status s = make_stopwatch(); !s) return s.error();
    const Json& options = request.head.at("options");
    const auto empty = stopwatch_->empty_kernel();
    if (!empty) return empty.error();
    if (!peak_) {
      const auto measured = stopwatch_->copy_bandwidth();
      if (!measured) return measured.error();
      peak_ = *measured;
    }
    const int before = sm_clock_mhz(info_.ordinal);
    const auto measure = [&](bool flush_l2) {
      return stopwatch_->time(*launch, options.at("warmup"), options.at("runs"), options.at("seconds"),
                              flush_l2, options.value("restore", false), info_.l2_bytes, reporter());
    };
    const auto measured = measure(options.at("flush_l2"));
    if (!measured) return measured.error();
    Json head{{"samples", measured->milliseconds},
              {"restored", measured->restored},
              {"empty", *empty},
              {"peak", *peak_},
              {"clock_before", before},
              {"buffer_bytes", launch->buffer_bytes()}};
    if (options.value("also_flushed", false)) {
      const auto flushed = measure(true);
      if (!flushed) return flushed.error();
      head["flushed"] = flushed->milliseconds;
    }
    head["clock_after"] = sm_clock_mhz(info_.ordinal);
    return Frame{std::move(head), {}};
  }

  // Tells the program how far a measurement is; false when nobody listens any more or it is to stop: then the
  // answer, whatever it is, ends the request.
  std::function<bool(double)> reporter() {
    return [this](double fraction) {
      if (const Result<Frame> said = channel_.receive(0); said && said->head.value("do", "") == "stop")
        return false;
      return channel_.send({{{"progress", fraction}}, {}}).has_value();
    };
  }

  Result<Frame> transfers(const Frame& request) {
    if (driver_ == nullptr) return told(ErrorKind::System, {"gpu.worker.no_gpu", {}});
    const auto rows =
        measure_transfers(*driver_, transfer_options_from(request.head.at("options")), reporter());
    if (!rows) return rows.error();
    return Frame{{{"rows", to_json(*rows)}}, {}};
  }

  Result<Frame> product(const Frame& request) {
    if (driver_ == nullptr) return told(ErrorKind::System, {"gpu.worker.no_gpu", {}});
    if (const Status s = make_stopwatch(); !s) return s.error();
    const Json &size = request.head.at("size"), &options = request.head.at("options");
    const auto times = time_library_product(*driver_, *stopwatch_, {size.at("m"), size.at("n"), size.at("k")},
                                            options.at("runs"), options.at("seconds"), reporter());
    if (!times) return times.error();
    return Frame{{{"samples", times->milliseconds}, {"version", times->version}}, {}};
  }

  Result<Frame> streams(const Frame& request) {
    if (module_ == nullptr) return told(ErrorKind::System, {"gpu.worker.no_module", {}});
    const auto piece = launch_from_json(request.head.at("launch"));
    if (!piece) return piece.error();
    FunctionHandle function = nullptr;
    if (const CudaResult code = driver_->module_function(&function, module_, piece->kernel.c_str());
        code != 0)
      return driver_->error(code, "find_kernel");
    const auto times = measure_streams(*driver_, context_, function, *piece,
                                       stream_options_from(request.head.at("options")), reporter());
    if (!times) return times.error();
    return Frame{to_json(*times), {}};
  }

  Result<Frame> counters(const Frame& request) {
    auto launch = prepared(request);
    if (!launch) return launch.error();
    const auto cache = CleanCache::make(*driver_, info_.l2_bytes);
    if (!cache) return cache.error();
    const auto before = [&]() -> Status {
      if (const Status s = launch->reset(); !s) return s;
      return cache->empty();
    };
    const auto run = [&]() -> Status {
      if (const Status s = launch->enqueue(nullptr); !s) return s;
      return launch->wait();
    };
    const auto reading = read_counters(context_, info_.ordinal, before, run, reporter());
    if (!reading) return reading.error();
    return Frame{to_json(*reading), {}};
  }

  // Runs an instrumented kernel (worker_record.h).
  Result<Frame> record(const Frame& request) {
    const auto module = load(request.blobs.at(1), request.head.value("optimise", true));
    if (!module) return module.error();
    const std::unique_ptr<void, std::function<void(void*)>> unload(
        *module, [&](void* m) { driver_->module_unload(m); });
    return record_run(
        *driver_, *module, request, [this](DeviceLaunch& launch) { return once(launch); }, facts, *initial_);
  }

  Channel& channel_;
  const Driver* driver_ = nullptr;
  std::optional<InitialBuffers> initial_;
  DeviceInfo info_;
  ContextHandle context_ = nullptr;
  ModuleHandle module_ = nullptr;
  std::optional<Stopwatch> stopwatch_;
  std::optional<double> peak_;
};

// A kernel that never ends keeps whoever waits for it from hearing that the program is gone.
void end_with_the_program(int socket) {
  std::thread([socket] {
    pollfd program{socket, POLLRDHUP, 0};
    while (::poll(&program, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  }).detach();
}

}  // namespace

int worker_main(int socket) {
  end_with_the_program(socket);
  Channel channel(socket);
  Worker worker(channel);
  for (;;) {
    const Result<Frame> request = channel.receive(-1);
    if (!request) return 0;  // the program is gone
    // Said when the answer was already on its way.
    if (request->head.value("do", "") == "stop") continue;
    Result<Frame> answer = Error{};
    try {
      answer = worker.answer(*request);
    } catch (const std::exception& error) {
      answer = told(ErrorKind::System, {"gpu.worker.failed", {{"what", value_of(error.what())}}});
    }
    const Status sent = channel.send(answer ? *answer : error_frame(answer.error()));
    const bool lost_context = !answer && answer.error().kind == ErrorKind::Fault;
    if (!sent || lost_context) return lost_context ? 1 : 0;
  }
}

}  // namespace warplens::gpu
