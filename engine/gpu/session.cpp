#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/message.h"
#include "engine/base/work_limit.h"
#include "engine/gpu/decode.h"
#include "engine/gpu/driver.h"
#include "engine/gpu/error_frame.h"
#include "engine/gpu/execution.h"
#include "engine/gpu/instrument.h"
#include "engine/gpu/launch_json.h"
#include "engine/gpu/stopwatch.h"
#include "engine/gpu/timing_warnings.h"
#include "engine/gpu/worker_process.h"
#include "engine/ptx/syntax/printer.h"
#include "engine/trace/site.h"

namespace warplens::gpu {
namespace {

// Translating large PTX for the device takes seconds; a minute means it is stuck.
constexpr double kOpenSeconds = 120;
// An instrumented run takes many times as long as the kernel itself.
constexpr double kRecordSeconds = 120;
// Between two signs of life while copies or streams are measured, and for all passes of the counters.
constexpr double kMeasureSeconds = 60;

class WorkerSession : public Session {
 public:
  WorkerSession(std::shared_ptr<const ptx::Module> module, DeviceInfo device)
      : module_(std::move(module)), device_(std::move(device)) {}

  const DeviceInfo& device() const override { return device_; }

  Result<RunResult> run(const trace::Launch& launch, const RunOptions& options) override {
    const auto answer = ask({{{"do", "run"}, {"launch", to_json(launch)}, {"results", options.results}}, {}},
                            options.limit_seconds, nullptr);
    if (!answer) return answer.error();
    RunResult out = facts(answer->head);
    out.buffers = answer->blobs;
    out.output = worker_->take_output();
    return out;
  }

  Result<Timing> time(const trace::Launch& launch, const TimingOptions& options,
                      Progress* progress) override {
    const nlohmann::json how{{"warmup", options.warmup},
                             {"runs", options.runs},
                             {"seconds", options.max_seconds},
                             {"flush_l2", options.flush_l2},
                             {"also_flushed", options.also_flushed},
                             {"restore", changes_by_atomics(launch.kernel)}};
    // One run may be slow; the limit is for silence between two answers.
    const double limit = 30.0 + options.max_seconds;
    const auto answer =
        ask({{{"do", "time"}, {"launch", to_json(launch)}, {"options", how}}, {}}, limit, progress);
    if (!answer) return answer.error();
    const nlohmann::json& head = answer->head;
    Timing out;
    out.milliseconds = head.at("samples").get<std::vector<double>>();
    out.flushed = head.value("flushed", std::vector<double>{});
    out.median = median(out.milliseconds);
    out.low = percentile(out.milliseconds, 0.05);
    out.high = percentile(out.milliseconds, 0.95);
    out.launch_overhead = head.at("empty");
    out.sm_clock_before_mhz = head.at("clock_before");
    out.sm_clock_after_mhz = head.at("clock_after");
    out.peak_bytes_per_second = head.at("peak");
    out.inputs_restored = head.at("restored");
    out.buffer_bytes = head.at("buffer_bytes");
    out.warnings = timing_warnings(out, device_, launch, options.flush_l2);
    return out;
  }

  Result<RunResult> trace(const trace::Launch& launch, const TraceOptions& options,
                          std::span<trace::Listener* const> listeners, Progress* progress) override;

  Result<CounterReading> counters(const trace::Launch& launch, Progress* progress) override {
    const auto answer =
        ask({{{"do", "counters"}, {"launch", to_json(launch)}}, {}}, kMeasureSeconds, progress);
    if (!answer) return answer.error();
    return counters_from(answer->head);
  }

  Result<std::vector<TransferRow>> transfers(const TransferOptions& options, Progress* progress) override {
    const auto answer =
        ask({{{"do", "transfers"}, {"options", to_json(options)}}, {}}, kMeasureSeconds, progress);
    if (!answer) return answer.error();
    return transfers_from(answer->head.at("rows"));
  }

  Result<LibraryTimes> library_product(const ProductSize& size, int runs, double seconds,
                                       Progress* progress) override {
    const auto answer = ask({{{"do", "product"},
                              {"size", {{"m", size.m}, {"n", size.n}, {"k", size.k}}},
                              {"options", {{"runs", runs}, {"seconds", seconds}}}},
                             {}},
                            kMeasureSeconds, progress);
    if (!answer) return answer.error();
    return LibraryTimes{answer->head.at("samples").get<std::vector<double>>(), answer->head.at("version")};
  }

  Result<StreamTimes> streams(const trace::Launch& piece, const StreamOptions& options,
                              Progress* progress) override {
    const auto answer =
        ask({{{"do", "streams"}, {"launch", to_json(piece)}, {"options", to_json(options)}}, {}},
            kMeasureSeconds, progress);
    if (!answer) return answer.error();
    return stream_times_from(answer->head);
  }

  // Makes the worker new when the last one ended, and gives it the module.
  Status open() {
    if (worker_ && worker_->alive()) return Done{};
    auto started = WorkerProcess::start();
    if (!started) return started.error();
    worker_ = std::move(*started);
    Result<Frame> answer = give_module();
    // A driver older than the compiler may know all that the module uses, by an older name.
    if (!answer && !lowest_version_ && driver_code(answer.error()) == kUnsupportedPtxVersion) {
      lowest_version_ = true;
      answer = give_module();
    }
    if (answer) return Done{};
    worker_.reset();
    return answer.error();
  }

 private:
  Result<Frame> give_module() {
    ptx::PrintOptions plain;
    plain.source_lines = false;
    plain.lowest_version = lowest_version_;
    const std::string text = ptx::print(*module_, plain);
    Frame request{{{"do", "open"}, {"device", device_.ordinal}}, {}};
    request.blobs.emplace_back(text.begin(), text.end());
    return worker_->ask(request, kOpenSeconds, [](double) { return true; });
  }

  static RunResult facts(const nlohmann::json& head) {
    RunResult out;
    out.milliseconds = head.at("milliseconds");
    out.registers_per_thread = head.at("registers");
    out.static_shared = head.at("static_shared");
    out.local_bytes = head.at("local_bytes");
    return out;
  }

  // An atomic that counts in global memory often hands out places in a buffer: without its start value back
  // the next run would write behind the end.
  bool changes_by_atomics(const std::string& kernel) const {
    const auto entry = module_->find_entry(kernel);
    if (!entry) return true;
    const auto sites = trace::collect_sites(*module_, **entry);
    return std::any_of(sites.begin(), sites.end(), [](const trace::Site& site) {
      return is_atomic(site.kind) && site.space != trace::Space::Shared;
    });
  }

  // Whether the blocks wait for each other: their counter's place is in these registers.
  bool is_cooperative(const std::string& kernel) const {
    return std::ranges::any_of(module_->functions, [&](const ptx::Function& function) {
      if (function.is_entry && function.name != kernel) return false;
      return std::ranges::any_of(function.instructions, [](const ptx::Instruction& instruction) {
        return std::ranges::any_of(instruction.operands, [](const ptx::Operand& operand) {
          return operand.kind == ptx::OperandKind::Special && operand.special == ptx::SpecialRegister::EnvReg;
        });
      });
    });
  }

  Result<Frame> ask(Frame request, double limit_seconds, Progress* progress) {
    if (const Status opened = open(); !opened) return opened.error();
    if (const auto launch = request.head.find("launch"); launch != request.head.end())
      request.head["cooperative"] = is_cooperative(launch->at("kernel"));
    return worker_->ask(request, limit_seconds, [progress](double fraction) {
      if (progress == nullptr) return true;
      progress->report(fraction);
      return !progress->cancelled();
    });
  }

  std::shared_ptr<const ptx::Module> module_;
  DeviceInfo device_;
  std::unique_ptr<WorkerProcess> worker_;
  bool lowest_version_ = false;
};

Result<RunResult> WorkerSession::trace(const trace::Launch& launch, const TraceOptions& options,
                                       std::span<trace::Listener* const> listeners, Progress* progress) {
  InstrumentOptions how;
  how.records = options.records;
  how.totals = options.totals;
  how.block = launch.block;
  how.lowest_version = lowest_version_;
  constexpr double kMostSeconds = 60;
  const auto rewritten =
      within_limit(kMostSeconds, progress, "", [&] { return instrument(*module_, launch.kernel, how); });
  if (!rewritten) return rewritten.error();
  ControlBlock control;
  control.capacity = options.records ? options.max_bytes : 0;
  control.block_count = launch.grid.volume();
  if (!options.blocks.empty()) {
    const auto [first, last] = std::minmax_element(options.blocks.begin(), options.blocks.end());
    control.first_block = *first;
    control.block_count = *last - *first + 1;
  }
  control.chunk = chunk_bytes(control.capacity, control.block_count * launch.block.volume());
  Frame request{{{"do", "record"},
                 {"launch", to_json(launch)},
                 {"bytes", control.capacity},
                 {"counters", rewritten->layout.bytes()},
                 {"constants", rewritten->constants.size()},
                 {"runs", options.runs}},
                {}};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&control);
  request.blobs.emplace_back(bytes, bytes + sizeof control);
  request.blobs.emplace_back(rewritten->ptx.begin(), rewritten->ptx.end());
  auto answer = ask(request, kRecordSeconds, progress);
  // The driver's compiler makes, of some kernels with counting code in them, machine code that loses track of
  // which lanes wait for which; without its optimisations it does not.
  if (!answer && driver_code(answer.error()) == kIllegalInstruction) {
    request.head["optimise"] = false;
    answer = ask(request, kRecordSeconds, progress);
  }
  if (!answer) return answer.error();

  RunResult out = facts(answer->head);
  for (const std::uint64_t base : answer->head.at("addresses")) out.addresses.push_back(base);
  const auto constants = answer->head.at("constants").get<std::vector<std::uint64_t>>();
  for (std::size_t i = 0; i < constants.size(); ++i) out.constants[rewritten->constants.at(i)] = constants[i];
  for (trace::Listener* listener : listeners) listener->on_launch(launch, out.addresses);
  const auto decoded = decode(answer->blobs.at(1), rewritten->sites, listeners);
  if (!decoded) return decoded.error();
  out.milliseconds_of_runs = answer->head.at("runs").get<std::vector<double>>();
  std::memcpy(&control, answer->blobs.at(0).data(), sizeof control);
  out.records_lost = control.wanted > control.capacity;
  if (options.totals) out.totals = read_totals(rewritten->layout, answer->blobs.at(2));
  out.buffers.assign(answer->blobs.begin() + 3, answer->blobs.end());
  out.output = worker_->take_output();
  return out;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(std::shared_ptr<const ptx::Module> module, int device) {
  const Discovery& found = discover();
  if (found.devices.empty())
    return told(ErrorKind::Usage, {"gpu.none.to_run_on", {{"reason", value_of(found.reason)}}});
  if (device < 0 || device >= static_cast<int>(found.devices.size()))
    return told(
        ErrorKind::Usage,
        {"gpu.none.of_number", {{"number", value_of(device)}, {"count", value_of(found.devices.size())}}});
  auto session =
      std::make_unique<WorkerSession>(std::move(module), found.devices[static_cast<std::size_t>(device)]);
  if (const Status opened = session->open(); !opened) return opened.error();
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace warplens::gpu
