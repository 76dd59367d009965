#include "engine/gpu/stopwatch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace warplens::gpu {
namespace {

// Spins for a number of nanoseconds; nothing at all; sets a word to 1 where two buffers differ.
constexpr const char* kHelpers = R"(.version 6.4
.target sm_{}
.address_size 64
.visible .entry warplens_gate(.param .u64 nanoseconds)
{{
  .reg .u64 %t<4>;
  .reg .pred %p;
  ld.param.u64 %t0, [nanoseconds];
  mov.u64 %t1, %globaltimer;
again:
  mov.u64 %t2, %globaltimer;
  sub.u64 %t3, %t2, %t1;
  setp.lt.u64 %p, %t3, %t0;
  @%p bra again;
  ret;
}}
.visible .entry warplens_empty()
{{
  ret;
}}
.visible .entry warplens_compare(.param .u64 a, .param .u64 b, .param .u64 bytes, .param .u64 differs)
{{
  .reg .u64 %a, %b, %n, %d, %i, %step, %pa, %pb;
  .reg .u32 %t<4>;
  .reg .u16 %va, %vb;
  .reg .pred %p, %q;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %n, [bytes];
  ld.param.u64 %d, [differs];
  mov.u32 %t0, %ctaid.x;
  mov.u32 %t1, %ntid.x;
  mov.u32 %t2, %tid.x;
  mov.u32 %t3, %nctaid.x;
  mul.wide.u32 %i, %t0, %t1;
  cvt.u64.u32 %step, %t2;
  add.u64 %i, %i, %step;
  mul.wide.u32 %step, %t3, %t1;
again:
  setp.ge.u64 %p, %i, %n;
  @%p ret;
  add.u64 %pa, %a, %i;
  add.u64 %pb, %b, %i;
  ld.global.u8 %va, [%pa];
  ld.global.u8 %vb, [%pb];
  setp.ne.u16 %q, %va, %vb;
  @%q st.global.u32 [%d], 1;
  add.u64 %i, %i, %step;
  bra again;
}}
)";

constexpr int kBatch = 16;
// Host time to issue one event, launch, event triple, with room to spare.
constexpr double kIssueMicroseconds = 12.0;

class Events {
 public:
  Events(const Driver& driver, int count)
      : driver_(driver), events_(static_cast<std::size_t>(count), nullptr) {
    for (EventHandle& event : events_)
      if (const CudaResult code = driver_.event_create(&event, 0); code != 0) code_ = code;
  }
  ~Events() {
    for (EventHandle event : events_)
      if (event != nullptr) driver_.event_destroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  CudaResult code() const { return code_; }
  EventHandle operator[](int i) const { return events_[static_cast<std::size_t>(i)]; }

 private:
  const Driver& driver_;
  std::vector<EventHandle> events_;
  CudaResult code_ = 0;
};

}  // namespace

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = fraction * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

Result<Stopwatch> Stopwatch::make(const Driver& driver, int compute_capability) {
  Stopwatch out(driver);
  // Written for the oldest target that this PTX version and today's drivers both know; newer GPUs translate
  // it.
  compute_capability = std::min(compute_capability, 75);
  const std::string ptx = fmt::format(fmt::runtime(kHelpers), compute_capability);
  ModuleHandle module = nullptr;  // lives as long as the worker
  CudaResult code = driver.module_load(&module, ptx.c_str(), 0, nullptr, nullptr);
  if (code == 0) code = driver.module_function(&out.gate_, module, "warplens_gate");
  if (code == 0) code = driver.module_function(&out.empty_, module, "warplens_empty");
  if (code == 0) code = driver.module_function(&out.compare_, module, "warplens_compare");
  if (code != 0) return driver.error(code, "load_timers");
  return out;
}

Status Stopwatch::gate(double microseconds) {
  std::uint64_t nanoseconds = static_cast<std::uint64_t>(microseconds * 1000.0);
  void* arguments[] = {&nanoseconds};
  if (const CudaResult code = driver_->launch(gate_, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
      code != 0)
    return driver_->error(code, "hold_queue");
  return Done{};
}

Result<std::vector<double>> Stopwatch::batch(int count, const std::function<Status()>& before,
                                             const std::function<Status()>& run) {
  const Events events(*driver_, 2 * count);
  if (events.code() != 0) return driver_->error(events.code(), "create_events");
  if (const Status s = gate(kIssueMicroseconds * count); !s) return s.error();
  for (int i = 0; i < count; ++i) {
    if (const Status s = before(); !s) return s.error();
    CudaResult code = driver_->event_record(events[2 * i], nullptr);
    if (code != 0) return driver_->error(code, "record_event");
    if (const Status s = run(); !s) return s.error();
    code = driver_->event_record(events[2 * i + 1], nullptr);
    if (code != 0) return driver_->error(code, "record_event");
  }
  if (const CudaResult code = driver_->synchronize(); code != 0)
    return driver_->error(code, "finish_timed_runs");
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    float milliseconds = 0;
    if (const CudaResult code = driver_->event_elapsed(&milliseconds, events[2 * i], events[2 * i + 1]);
        code != 0)
      return driver_->error(code, "read_event");
    out.push_back(milliseconds);
  }
  return out;
}

Result<bool> Stopwatch::same_bytes(const DeviceBuffer& a, const DeviceBuffer& b) {
  auto flag = DeviceBuffer::make(*driver_, 4);
  if (!flag) return flag.error();
  DevicePointer first = a.pointer(), second = b.pointer(), at = flag->pointer();
  std::uint64_t bytes = a.bytes();
  void* arguments[] = {&first, &second, &bytes, &at};
  std::uint32_t differs = 0;
  CudaResult code = driver_->fill_bytes(at, 0, 4);
  if (code == 0) code = driver_->launch(compare_, 1024, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  if (code == 0) code = driver_->synchronize();
  if (code == 0) code = driver_->copy_to_host(&differs, at, sizeof differs);
  if (code != 0) return driver_->error(code, "compare_buffers");
  return differs == 0;
}

// Whether a second run on what the first one left leaves something else. With surfaces, and where there is no
// memory left to keep that, it is taken to: the input is then restored, which is never wrong.
Result<bool> Stopwatch::changes_its_input(DeviceLaunch& launch) {
  if (launch.writes_surfaces()) return true;
  const auto once = [&]() -> Status {
    if (const Status s = launch.enqueue(nullptr); !s) return s;
    return launch.wait();
  };
  if (const Status s = once(); !s) return s.error();
  const auto first = launch.copies();
  if (!first) return true;
  if (const Status s = once(); !s) return s.error();
  for (std::size_t i = 0; i < first->size(); ++i) {
    const auto same = same_bytes((*first)[i], launch.buffers()[i]);
    if (!same) return same.error();
    if (!*same) return true;
  }
  return false;
}

Result<std::vector<double>> Stopwatch::runs_of(const std::function<Status()>& before,
                                               const std::function<Status()>& run, int warmup, int runs,
                                               double seconds, const std::function<bool(double)>& progress) {
  if (warmup > 0)
    if (const auto warm = batch(warmup, before, run); !warm) return warm.error();
  std::vector<double> out;
  const auto start = std::chrono::steady_clock::now();
  while (static_cast<int>(out.size()) < runs) {
    const auto samples = batch(std::min(kBatch, runs - static_cast<int>(out.size())), before, run);
    if (!samples) return samples.error();
    out.insert(out.end(), samples->begin(), samples->end());
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double done = static_cast<double>(out.size()) / runs;
    if (!progress(std::max(done, elapsed / seconds))) break;
    if (elapsed > seconds) break;
  }
  return out;
}

Result<std::vector<double>> Stopwatch::time_calls(const std::function<Status()>& call, int warmup, int runs,
                                                  double seconds,
                                                  const std::function<bool(double)>& progress) {
  return runs_of([] { return Status(Done{}); }, call, warmup, runs, seconds, progress);
}

Result<Measured> Stopwatch::time(DeviceLaunch& launch, int warmup, int runs, double seconds, bool flush_l2,
                                 bool restore, std::size_t l2_bytes,
                                 const std::function<bool(double)>& progress) {
  Measured out;
  // A kernel that changes its own input is given the same input each time.
  out.restored = restore;
  if (!restore) {
    const auto changes = changes_its_input(launch);
    if (!changes) return changes.error();
    out.restored = *changes;
  }

  std::vector<DeviceBuffer> eviction;
  if (flush_l2) {
    auto buffer = DeviceBuffer::make(*driver_, std::max<std::size_t>(2 * l2_bytes, std::size_t{1} << 20));
    if (!buffer) return buffer.error();
    eviction.push_back(std::move(*buffer));
  }
  const auto before = [&]() -> Status {
    if (out.restored)
      if (const Status s = launch.reset(); !s) return s;
    if (!eviction.empty())
      if (const CudaResult code = driver_->fill_bytes(eviction[0].pointer(), 0, eviction[0].bytes());
          code != 0)
        return driver_->error(code, "empty_l2");
    return Done{};
  };
  const auto run = [&] { return launch.enqueue(nullptr); };

  auto samples = runs_of(before, run, warmup, runs, seconds, progress);
  if (!samples) return samples.error();
  out.milliseconds = std::move(*samples);
  return out;
}

Result<double> Stopwatch::empty_kernel() {
  const auto nothing = [] { return Status(Done{}); };
  const auto run = [&]() -> Status {
    if (const CudaResult code = driver_->launch(empty_, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr);
        code != 0)
      return driver_->error(code, "launch_empty");
    return Done{};
  };
  if (const auto warm = batch(kBatch, nothing, run); !warm) return warm.error();
  const auto samples = batch(4 * kBatch, nothing, run);
  if (!samples) return samples.error();
  return median(*samples);
}

Result<double> Stopwatch::copy_bandwidth() {
  std::size_t free = 0, total = 0;
  if (const CudaResult code = driver_->mem_info(&free, &total); code != 0)
    return driver_->error(code, "ask_memory");
  const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30, free / 8) & ~std::size_t{4095};
  auto from = DeviceBuffer::make(*driver_, bytes);
  if (!from) return from.error();
  auto to = DeviceBuffer::make(*driver_, bytes);
  if (!to) return to.error();
  if (const CudaResult code = driver_->fill_bytes(from->pointer(), 1, bytes); code != 0)
    return driver_->error(code, "fill_buffer");
  const auto nothing = [] { return Status(Done{}); };
  const auto run = [&]() -> Status {
    if (const CudaResult code = driver_->copy_on_device(to->pointer(), from->pointer(), bytes); code != 0)
      return driver_->error(code, "copy_inside");
    return Done{};
  };
  if (const auto warm = batch(2, nothing, run); !warm) return warm.error();
  const auto samples = batch(10, nothing, run);
  if (!samples) return samples.error();
  return 2.0 * static_cast<double>(bytes) / (median(*samples) / 1000.0);
}

namespace {

// The management library numbers GPUs in an order of its own, which neither CUDA_VISIBLE_DEVICES nor
// CUDA_DEVICE_ORDER touch: only the place on the bus names the same GPU to both.
std::string bus_id(int ordinal) {
  const auto driver = Driver::load();
  char text[32] = {};
  DeviceOrdinal device = 0;
  if (!driver || (*driver)->device_get(&device, ordinal) != 0 ||
      (*driver)->device_bus_id(text, sizeof text - 1, device) != 0)
    return {};
  return text;
}

}  // namespace

int sm_clock_mhz(int ordinal) {
  using Init = int (*)();
  using ByBusId = int (*)(const char*, void**);
  using Clock = int (*)(void*, int, unsigned*);
  static void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 0;
  const auto init = reinterpret_cast<Init>(dlsym(library, "nvmlInit_v2"));
  const auto by_bus_id = reinterpret_cast<ByBusId>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
  const auto clock = reinterpret_cast<Clock>(dlsym(library, "nvmlDeviceGetClockInfo"));
  constexpr int kSmClock = 1;
  void* device = nullptr;
  unsigned mhz = 0;
  if (init == nullptr || by_bus_id == nullptr || clock == nullptr || init() != 0) return 0;
  const std::string id = bus_id(ordinal);
  if (id.empty() || by_bus_id(id.c_str(), &device) != 0 || clock(device, kSmClock, &mhz) != 0) return 0;
  return static_cast<int>(mhz);
}

}  // namespace warplens::gpu
