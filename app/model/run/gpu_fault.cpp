#include "app/model/run/gpu_fault.h"

#include <algorithm>

#include "engine/analysis/fault_text.h"

namespace warplens::model {
namespace {

// Thread instructions that the check may take: a few seconds.
constexpr std::uint64_t kCheckBudget = 4'000'000'000;

}  // namespace

FaultDiagnosis diagnose_fault(const Error& error, const RunRequest& request, Progress* progress) {
  FaultDiagnosis out{error, {}};
  RunRequest check = request;
  check.options.checks = std::max(check.options.checks, simt::Checks::Memory);
  check.options.budget = std::min(check.options.budget, kCheckBudget);
  check.recorder.blocks = 0;
  check.recorder.chosen.clear();
  const auto run = execute(check, progress);
  Message found;
  if (!run) {
    found = {"gpu.fault.unchecked", {{"why", value_of(run.error())}}};
  } else if (!(*run)->report.faults.empty()) {
    out.faults = (*run)->report.faults;
    found = {"gpu.fault.found", {{"fault", value_of(analysis::fault_message(out.faults.front()))}}};
  } else if ((*run)->report.ending == analysis::Ending::Budget) {
    found = {"gpu.fault.not_until_then",
             {{"instructions", value_of(check.options.budget)},
              {"run", value_of((*run)->report.blocks_run)},
              {"blocks", value_of((*run)->report.blocks_total)}}};
  } else {
    found = {"gpu.fault.nothing", {}};
  }
  out.error = told(error.kind, {"gpu.fault.both", {{"error", value_of(error)}, {"found", value_of(found)}}},
                   error.place);
  out.error.notes = error.notes;
  return out;
}

}  // namespace warplens::model
