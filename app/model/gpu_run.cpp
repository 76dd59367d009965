#include "app/model/gpu_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model/report_parts.h"
#include "app/model/signature.h"
#include "engine/analysis/explanations.h"

namespace warplens::model {
namespace {

// Room for the records of a run; what does not fit is lost, and said so.
constexpr std::size_t kRecordBytes = std::size_t{2} << 30;

Result<std::unique_ptr<gpu::Session>> session_for(const RunRequest& request, int device) {
  return gpu::Session::open(request.program->module, device);
}

}  // namespace

Result<std::shared_ptr<const Run>> execute_on_gpu(const RunRequest& request, int device, Progress* progress) {
  const Program& program = *request.program;
  const auto entry = program.module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  auto session = session_for(request, device);
  if (!session) return session.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;

  auto run = std::make_shared<Run>();
  run->program = request.program;
  analysis::Report& report = run->report;
  if (const Status status =
          begin_report(request, **entry, trace::collect_sites(*program.module, **entry), report);
      !status)
    return status.error();
  report.backend = "gpu";
  report.device = (*session)->device().name;

  analysis::TotalsCounter counter(report.sites);
  trace::Recorder recorder(request.recorder);
  const std::array<trace::Listener*, 2> listeners{&counter, &recorder};
  gpu::TraceOptions options;
  options.blocks = request.options.only_blocks;
  options.max_bytes = kRecordBytes;
  auto result = (*session)->trace(launch, options, listeners, progress);
  if (!result) return result.error();

  report.blocks_total = request.launch.grid.volume();
  report.blocks_run = options.blocks.empty() ? report.blocks_total : options.blocks.size();
  report.totals = counter.totals();
  report.execution.branches = report.totals.branches;
  report.execution.divergent_branches = report.totals.divergent_branches;
  report.output = result->output;
  report.notes.push_back(fmt::format("the instrumented run took {:.4f} ms on the GPU", result->milliseconds));
  if (result->records_lost) report.notes.push_back(kRecordsLost);

  std::vector<trace::BufferPlacement> placements;
  const Signature signature = signature_of(program, **entry);
  for (std::size_t i = 0; i < request.launch.arguments.size(); ++i) {
    const trace::Argument& argument = request.launch.arguments[i];
    if (!argument.is_buffer) continue;
    placements.push_back(
        {static_cast<std::uint32_t>(i), "", result->addresses[i], argument.bytes(), argument.type});
  }
  name_buffers(signature, placements);
  report.buffers = buffer_reports(request.launch, result->buffers, placements);
  run->trace = recorder.take();
  run->trace.backend = "gpu";
  run->trace.launch = request.launch;
  run->trace.sites = report.sites;
  run->trace.buffers = std::move(placements);
  run->trace.blocks_total = report.blocks_total;
  report.blocks_traced = run->trace.blocks().size();
  report.explanations = analysis::explain_launch(report, &run->trace);
  run->buffers = std::move(result->buffers);
  return std::shared_ptr<const Run>(run);
}

Result<TimedRun> time_on_gpu(const RunRequest& request, const gpu::TimingOptions& options, int device,
                             Progress* progress) {
  auto session = session_for(request, device);
  if (!session) return session.error();
  const auto entry = request.program->module->find_entry(request.launch.kernel);
  if (!entry) return entry.error();
  trace::Launch launch = request.launch;
  launch.kernel = (*entry)->name;
  TimedRun out;
  out.device = (*session)->device();
  const auto plain = (*session)->run(launch);
  if (!plain) return plain.error();
  out.registers_per_thread = plain->registers_per_thread;
  auto timing = (*session)->time(launch, options, progress);
  if (!timing) return timing.error();
  out.timing = std::move(*timing);
  // The bytes that the launch moves are counted by the emulator; a kernel it cannot run has none.
  if (const auto counted = execute(request, progress)) {
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
