#include "app/model/run/gpu_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/model/run/gpu_fault.h"
#include "app/model/run/gpu_totals.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/report_parts.h"
#include "app/model/run/signature.h"
#include "engine/analysis/explanations.h"
#include "engine/base/message.h"
#include "engine/base/work_limit.h"

namespace warplens::model {
namespace {

// Room for the records of chosen blocks and of a whole launch; what does not fit is lost, and said so.
constexpr std::size_t kChosenBytes = std::size_t{256} << 20;
constexpr std::size_t kRecordBytes = std::size_t{2} << 30;

Result<std::unique_ptr<gpu::Session>> session_for(const RunRequest& request, int device) {
  return gpu::Session::open(request.program->module, device);
}

// What to record, also as the recorder's own options, which then say which blocks are stored.
gpu::TraceOptions record_options(const RunRequest& request, const GpuOptions& options,
                                 trace::RecorderOptions& recorded) {
  gpu::TraceOptions how;
  if (options.records == GpuOptions::Records::All) {
    recorded.blocks = request.launch.grid.volume();
    recorded.chosen.clear();
    recorded.max_bytes = std::max(recorded.max_bytes, kRecordBytes);
    how.max_bytes = kRecordBytes;
    return how;
  }
  how.max_bytes = kChosenBytes;
  how.blocks = recorded.chosen;
  if (how.blocks.empty() && recorded.blocks > 0)
    how.blocks = {0, std::min(recorded.blocks, request.launch.grid.volume()) - 1};
  how.records = !how.blocks.empty();
  return how;
}

void fill_totals(const gpu::RunResult& result, analysis::Report& report) {
  if (!result.totals) return;
  report.totals = totals_of(*result.totals, report.sites);
  report.execution.warp_instructions = result.totals->warp_instructions;
  report.execution.thread_instructions = result.totals->thread_instructions;
  report.execution.branches = report.totals.branches;
  report.execution.divergent_branches = report.totals.divergent_branches;
  for (const trace::SiteId site : result.totals->uncounted)
    report.notes.push_back(
        {"note.uncounted_on_gpu",
         {{"op", value_of(report.sites[site].op)}, {"line", value_of(report.sites[site].line)}}});
}

void fill_buffers(const RunRequest& request, const ptx::Function& entry, gpu::RunResult& result, Run& run) {
  std::vector<trace::BufferPlacement>& placements = run.trace.buffers;
  for (std::size_t i = 0; i < request.launch.arguments.size(); ++i) {
    const trace::Argument& argument = request.launch.arguments[i];
    if (argument.is_buffer)
      placements.push_back(
          {static_cast<std::uint32_t>(i), "", result.addresses[i], argument.bytes(), argument.type});
  }
  name_buffers(signature_of(*request.program, entry), placements);
  run.report.buffers = buffer_reports(request.launch, result.buffers, placements);
  run.buffers = std::move(result.buffers);
}

void report_fault(const FaultDiagnosis& diagnosis, analysis::Report& report) {
  report.ending = analysis::Ending::Faulted;
  report.device_error = diagnosis.error.message;
  report.notes.push_back({"note.fault_on_gpu", {{"message", value_of(diagnosis.error.message)}}});
  report.faults = diagnosis.faults;
  report.faults_total = std::max<std::uint64_t>(report.faults.size(), 1);
}

// Runs of each kind for the cost of instrumentation, the first of which does not count.
constexpr int kCostRuns = 8;

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

Result<std::shared_ptr<const Run>> execute_on_gpu(const RunRequest& request, const GpuOptions& options,
                                                  Progress* progress) {
  const Program& program = *request.program;
  if (is_kept_launch(program.file))
    return told(ErrorKind::Unsupported, {"open.kept.emulator_only", {}}, {program.file, 0, 0});
  const auto entry = program.module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  auto session = session_for(request, options.device);
  if (!session) return session.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;

  auto run = std::make_shared<Run>();
  run->program = request.program;
  analysis::Report& report = run->report;
  const Status begun = within_limit(program.limits.seconds, progress, program.file, [&] {
    return begin_report(request, **entry, trace::collect_sites(*program.module, **entry), report);
  });
  if (!begun) return begun.error();
  report.backend = trace::Backend::Gpu;
  report.device = (*session)->device().name;
  report.blocks_total = request.launch.grid.volume();

  // As it is first: what faults or never ends does so here, soon, and not with our code in it.
  const auto plain = (*session)->run(launch, {.results = false});
  // Two runs more: code that records a warp's addresses keeps lanes apart that the kernel has together, and
  // what they do together is counted.
  gpu::TraceOptions counting;
  counting.records = false;
  counting.totals = true;
  auto result =
      plain ? (*session)->trace(launch, counting, {}, progress) : Result<gpu::RunResult>(plain.error());
  trace::RecorderOptions recorded = request.recorder;
  const gpu::TraceOptions recording = record_options(request, options, recorded);
  trace::Recorder recorder(recorded);
  trace::Listener* const listener = &recorder;
  std::optional<gpu::RunResult> records;
  if (result && recording.records) {
    auto second = (*session)->trace(launch, recording, {&listener, 1}, progress);
    if (second)
      records = std::move(*second);
    else
      result = second.error();
  }
  if (!result) {
    if (result.error().kind != ErrorKind::Fault) return result.error();
    report_fault(diagnose_fault(result.error(), request, progress), report);
    return std::shared_ptr<const Run>(run);
  }

  report.blocks_run = report.blocks_total;
  fill_totals(*result, report);
  report.output = result->output;
  report.notes.push_back({"note.loops_on_gpu", {}});
  report.notes.push_back({"note.counting_took", {{"ms", value_of(result->milliseconds)}}});
  if (records) {
    report.notes.push_back({"note.recording_took", {{"ms", value_of(records->milliseconds)}}});
    report.records_lost = records->records_lost;
    if (records->records_lost) report.notes.push_back({"note.records_lost", {}});
    if (records->buffers != result->buffers) report.notes.push_back({"note.runs_differ", {}});
    result->addresses = records->addresses;
    run->constants = std::move(records->constants);
  }
  fill_buffers(request, **entry, *result, *run);
  auto buffers = std::move(run->trace.buffers);
  run->trace = recorder.take();
  run->trace.backend = trace::Backend::Gpu;
  run->trace.launch = request.launch;
  run->trace.sites = report.sites;
  run->trace.buffers = std::move(buffers);
  run->trace.blocks_total = report.blocks_total;
  report.blocks_traced = run->trace.blocks().size();
  report.explanations = analysis::explain_launch(report, &run->trace);
  return std::shared_ptr<const Run>(run);
}

Result<InstrumentationCost> instrumentation_cost(const RunRequest& request, int device, Progress* progress) {
  auto session = session_for(request, device);
  if (!session) return session.error();
  const auto entry = request.program->module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;
  InstrumentationCost out;
  // The first run of each loads its code.
  std::vector<double> plain;
  for (int run = 0; run < kCostRuns; ++run) {
    const auto once = (*session)->run(launch, {.results = false});
    if (!once) return once.error();
    if (run > 0) plain.push_back(once->milliseconds);
  }
  out.plain_ms = middle(std::move(plain));
  gpu::TraceOptions totals;
  totals.records = false;
  totals.totals = true;
  totals.runs = kCostRuns;
  gpu::TraceOptions one_block;
  one_block.max_bytes = kChosenBytes;
  one_block.blocks = {0};
  one_block.runs = kCostRuns;
  gpu::TraceOptions records;
  records.max_bytes = kRecordBytes;
  records.runs = kCostRuns;
  for (auto [how, milliseconds] :
       {std::pair{&totals, &out.totals_ms}, std::pair{&one_block, &out.one_block_ms},
        std::pair{&records, &out.records_ms}}) {
    const auto result = (*session)->trace(launch, *how, {}, progress);
    if (!result) return result.error();
    *milliseconds = middle({result->milliseconds_of_runs.begin() + 1, result->milliseconds_of_runs.end()});
    out.records_lost = out.records_lost || result->records_lost;
  }
  return out;
}

Result<TimedRun> time_on_gpu(const RunRequest& request, const gpu::TimingOptions& options, int device,
                             Progress* progress, bool count_bytes) {
  auto session = session_for(request, device);
  if (!session) return session.error();
  const auto entry = request.program->module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;
  TimedRun out;
  out.device = (*session)->device();
  const auto plain = (*session)->run(launch, {.results = false});
  if (!plain && plain.error().kind == ErrorKind::Fault)
    return diagnose_fault(plain.error(), request, progress).error;
  if (!plain) return plain.error();
  out.registers_per_thread = plain->registers_per_thread;
  auto timing = (*session)->time(launch, options, progress);
  if (!timing) return timing.error();
  out.timing = std::move(*timing);
  // The bytes that the launch moves are counted by the emulator; a kernel it cannot run has none.
  if (!count_bytes) return out;
  if (const auto counted = execute(request, progress)) {
    out.counted = *counted;
    const analysis::Totals& totals = (*counted)->report.totals;
    out.bytes_moved = 32 * (totals.global_load.sectors + totals.global_store.sectors);
    const double share = static_cast<double>((*counted)->report.blocks_run) /
                         static_cast<double>(std::max<std::uint64_t>((*counted)->report.blocks_total, 1));
    if (share < 1.0) out.bytes_moved = 0;
  }
  if (out.timing.median > 0)
    out.bytes_per_second = static_cast<double>(out.bytes_moved) / (out.timing.median / 1000.0);
  return out;
}

}  // namespace warplens::model
