#include "app/model/run/as_written.h"

#include <array>

#include "app/model/run/kept_launch.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/totals.h"
#include "engine/base/work_limit.h"

namespace warplens::model {
namespace {

// Sites that say of themselves what they say in the PTX, and nothing of what becomes of them.
std::vector<trace::Site> as_written(std::vector<trace::Site> sites) {
  for (trace::Site& site : sites) {
    site.leader = site.index;
    site.executed_bytes = site.bytes;
    site.executed_offset = 0;
    site.known = Known::AsWritten;
    site.reduction = site.kind == trace::SiteKind::Reduction;
    site.atomic_form = ptx::AtomicForm::EveryLane;
    site.leaves = false;
    site.floating_shared_atomic = false;
    site.in_registers = false;
  }
  return sites;
}

}  // namespace

Result<std::shared_ptr<const Run>> execute_as_written(const RunRequest& request, Progress* progress) {
  auto executed = execute(request, progress);
  if (!executed) return executed;
  auto run = std::make_shared<Run>(**executed);
  auto kernel = within_limit(request.program->limits.seconds, progress, request.program->file,
                             [&] { return request.program->kernel(request.launch.kernel); });
  if (!kernel) return kernel.error();

  // The second run counts; what it is told to check has been checked by the first.
  simt::Options options = request.options;
  options.checks = simt::Checks::None;
  options.progress = progress;
  analysis::Report& report = run->report;
  report.sites = as_written(std::move(report.sites));
  analysis::TotalsCounter counter(report.sites);
  const std::array<trace::Listener*, 1> listeners{&counter};
  const auto outcome = emulate(*request.program, *kernel, request.launch, options, listeners);
  if (!outcome) return outcome.error();
  report.totals = counter.totals();
  report.execution.branches = report.totals.branches;
  report.execution.divergent_branches = report.totals.divergent_branches;
  report.execution.machine_warp_instructions = report.execution.machine_thread_instructions = 0;
  report.spilled = {};  // stands in no PTX
  run->trace.sites = report.sites;
  report.explanations = analysis::explain_launch(report, &run->trace);
  report.as_executed = Known::AsWritten;
  report.notes.push_back({"note.as_written", {}});
  return std::shared_ptr<const Run>(std::move(run));
}

}  // namespace warplens::model
