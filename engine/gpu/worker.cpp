#include "engine/gpu/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "engine/gpu/channel.h"
#include "engine/gpu/device.h"
#include "engine/gpu/device_launch.h"
#include "engine/gpu/driver.h"
#include "engine/gpu/launch_json.h"
#include "engine/gpu/stopwatch.h"
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
        {"open", &Worker::open},
        {"run", &Worker::run},
        {"time", &Worker::time},
        {"record", &Worker::record},
        {"transfers", &Worker::transfers}};
    const std::string what = request.head.value("do", "");
    const auto handler = handlers.find(what);
    if (handler == handlers.end())
      return Error{ErrorKind::System, fmt::format("the GPU worker does not know '{}'", what), {}, {}};
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
      return Error{
          ErrorKind::Usage, fmt::format("there is no GPU number {}: {}", ordinal, found.reason), {}, {}};
    info_ = found.devices[static_cast<std::size_t>(ordinal)];
    ContextHandle context = nullptr;
    DeviceOrdinal device = 0;
    CudaResult code = driver_->device_get(&device, ordinal);
    if (code == 0) code = driver_->primary_retain(&context, device);
    if (code == 0) code = driver_->set_current(context);
    if (code != 0) return driver_->error(code, "use the GPU");
    auto module = load(request.blobs.at(0));
    if (!module) return module.error();
    module_ = *module;
    return Frame{Json::object(), {}};
  }

  Result<ModuleHandle> load(std::vector<std::uint8_t> ptx) {
    ptx.push_back(0);
    std::string log(8192, '\0');
    int options[] = {kJitErrorLog, kJitErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size()))};
    ModuleHandle module = nullptr;
    if (const CudaResult code = driver_->module_load(&module, ptx.data(), 2, options, values); code != 0) {
      Error error = driver_->error(code, "load the kernel's PTX");
      error.kind = ErrorKind::Compile;
      if (log[0] != '\0') error.notes.push_back(log.c_str());
      return error;
    }
    return module;
  }

  Result<DeviceLaunch> prepared(const Frame& request) {
    if (module_ == nullptr) return Error{ErrorKind::System, "no module is open in the GPU worker", {}, {}};
    const auto launch = launch_from_json(request.head.at("launch"));
    if (!launch) return launch.error();
    return DeviceLaunch::prepare(*driver_, module_, *launch);
  }

  Result<double> once(DeviceLaunch& launch) {
    EventHandle from = nullptr, to = nullptr;
    CudaResult code = driver_->event_create(&from, 0);
    if (code == 0) code = driver_->event_create(&to, 0);
    if (code == 0) code = driver_->event_record(from, nullptr);
    if (code != 0) return driver_->error(code, "record an event");
    if (const Status s = launch.enqueue(nullptr); !s) return s.error();
    if (code = driver_->event_record(to, nullptr); code != 0) return driver_->error(code, "record an event");
    if (const Status s = launch.wait(); !s) return s.error();
    float milliseconds = 0;
    code = driver_->event_elapsed(&milliseconds, from, to);
    driver_->event_destroy(from);
    driver_->event_destroy(to);
    if (code != 0) return driver_->error(code, "read an event");
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
    auto buffers = launch->read_buffers();
    if (!buffers) return buffers.error();
    return Frame{facts(*launch, *milliseconds), std::move(*buffers)};
  }

  Result<Frame> time(const Frame& request) {
    auto launch = prepared(request);
    if (!launch) return launch.error();
    auto stopwatch = Stopwatch::make(*driver_, info_.cc_major * 10 + info_.cc_minor);
    if (!stopwatch) return stopwatch.error();
    const Json& options = request.head.at("options");
    const auto report = [&](double fraction) {
      return channel_.send({{{"progress", fraction}}, {}}).has_value();
    };
    const auto empty = stopwatch->empty_kernel();
    if (!empty) return empty.error();
    if (!peak_) {
      const auto measured = stopwatch->copy_bandwidth();
      if (!measured) return measured.error();
      peak_ = *measured;
    }
    const int before = sm_clock_mhz(info_.ordinal);
    const auto measured =
        stopwatch->time(*launch, options.at("warmup"), options.at("runs"), options.at("seconds"),
                        options.at("flush_l2"), info_.l2_bytes, report);
    if (!measured) return measured.error();
    Json head{{"samples", measured->milliseconds},
              {"restored", measured->restored},
              {"empty", *empty},
              {"peak", *peak_},
              {"clock_before", before},
              {"clock_after", sm_clock_mhz(info_.ordinal)},
              {"buffer_bytes", launch->buffer_bytes()}};
    return Frame{std::move(head), {}};
  }

  // Runs an instrumented kernel (worker_record.h).
  Result<Frame> record(const Frame& request) {
    const auto module = load(request.blobs.at(1));
    if (!module) return module.error();
    const std::unique_ptr<void, std::function<void(void*)>> unload(
        *module, [&](void* m) { driver_->module_unload(m); });
    return record_run(
        *driver_, *module, request, [this](DeviceLaunch& launch) { return once(launch); }, facts);
  }

  Result<Frame> transfers(const Frame& request);

  Channel& channel_;
  const Driver* driver_ = nullptr;
  DeviceInfo info_;
  ModuleHandle module_ = nullptr;
  std::optional<double> peak_;
};

Frame error_frame(const Error& error) {
  return {{{"error", error.message},
           {"notes", error.notes},
           {"kind", error.kind == ErrorKind::Fault     ? "fault"
                    : error.kind == ErrorKind::Compile ? "compile"
                    : error.kind == ErrorKind::Usage   ? "usage"
                                                       : "system"}},
          {}};
}

// Host to device and back, pageable and pinned, by size; a catalogue row of its own (K3).
Result<Frame> Worker::transfers(const Frame& request) {
  Json rows = Json::array();
  const std::size_t most = request.head.value("most", std::size_t{64} << 20);
  auto device = DeviceBuffer::make(*driver_, most);
  if (!device) return device.error();
  std::vector<std::uint8_t> pageable(most, 1);
  void* pinned = nullptr;
  if (const CudaResult code = driver_->host_alloc(&pinned, most); code != 0)
    return driver_->error(code, "reserve pinned memory");
  const std::unique_ptr<void, std::function<void(void*)>> release(pinned,
                                                                  [&](void* p) { driver_->host_free(p); });
  EventHandle from = nullptr, to = nullptr;
  driver_->event_create(&from, 0);
  driver_->event_create(&to, 0);
  for (std::size_t bytes = 4096; bytes <= most; bytes *= 4) {
    for (const bool is_pinned : {false, true}) {
      void* host = is_pinned ? pinned : pageable.data();
      for (const bool to_device : {true, false}) {
        std::vector<double> samples;
        for (int i = 0; i < 11; ++i) {
          driver_->event_record(from, nullptr);
          const CudaResult code = to_device
                                      ? driver_->copy_to_device_async(device->pointer(), host, bytes, nullptr)
                                      : driver_->copy_to_host_async(host, device->pointer(), bytes, nullptr);
          if (code != 0) return driver_->error(code, "copy between host and GPU");
          driver_->event_record(to, nullptr);
          driver_->event_synchronize(to);
          float milliseconds = 0;
          driver_->event_elapsed(&milliseconds, from, to);
          if (i > 0) samples.push_back(milliseconds);  // the first one warms up
        }
        rows.push_back(
            {{"bytes", bytes}, {"pinned", is_pinned}, {"to_device", to_device}, {"milliseconds", samples}});
      }
    }
  }
  driver_->event_destroy(from);
  driver_->event_destroy(to);
  return Frame{{{"rows", std::move(rows)}}, {}};
}

}  // namespace

int worker_main(int socket) {
  Channel channel(socket);
  Worker worker(channel);
  for (;;) {
    const Result<Frame> request = channel.receive(-1);
    if (!request) return 0;  // the program is gone
    Result<Frame> answer = Error{};
    try {
      answer = worker.answer(*request);
    } catch (const std::exception& error) {
      answer = Error{ErrorKind::System, fmt::format("the GPU worker failed: {}", error.what()), {}, {}};
    }
    const Status sent = channel.send(answer ? *answer : error_frame(answer.error()));
    const bool lost_context = !answer && answer.error().kind == ErrorKind::Fault;
    if (!sent || lost_context) return lost_context ? 1 : 0;
  }
}

}  // namespace warplens::gpu
